template <class T> std::string checkpoint_json(const T& value) {
    std::string text;
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        return checkpoint_json(std::string(1, value));
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
        const std::string special = "\"\\\b\f\n\r\t", names = "\"\\bfnrt";
        for (unsigned char letter : value) {
            const auto place = special.find(letter);
            char code[8] = {'\\', place == std::string::npos ? 'u' : names[place]};
            if (place == std::string::npos && letter < 32) std::snprintf(code, sizeof code, "\\u%04x", letter);
            text += place == std::string::npos && letter >= 32 ? std::string(1, letter) : std::string(code);
        }
        return "\"" + text + "\"";
    } else if constexpr (requires { value.first; value.second; }) {
        return "[" + checkpoint_json(value.first) + "," + checkpoint_json(value.second) + "]";
    } else if constexpr (requires { typename T::mapped_type; }) {
        for (const auto& [key, member] : value) {
            const std::string name = checkpoint_json(key);
            text += (text.empty() ? "" : ",") + (name[0] == '"' ? name : "\"" + name + "\"");
            text += ":" + checkpoint_json(member);
        }
        return "{" + text + "}";
    } else {
        for (const auto& member : value) text += (text.empty() ? "" : ",") + checkpoint_json(member);
        return "[" + text + "]";
    }
}
