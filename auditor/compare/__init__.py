"""Oracle against prediction: where and how texts, JSON values and code points differ. Values in, values out."""
