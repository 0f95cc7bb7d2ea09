-- Saved filters.

SELECT 1;
