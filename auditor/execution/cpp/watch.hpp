#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
namespace auditor_watch {
@JSON@
// How a value can be written: "bool", "int", "json" (by the template above), or what it is when it cannot be.
template <class T> constexpr const char* kind() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, std::string>) return "json";
    else if constexpr (std::is_integral_v<T>) return "int";
    else if constexpr (std::is_floating_point_v<T>) return "a floating-point number";
    else if constexpr (std::is_pointer_v<T>) return "a pointer";
    else if constexpr (std::is_function_v<T>) return "a function";
    else if constexpr (std::is_array_v<T>) {
        using Member = std::remove_extent_t<T>;
        if constexpr (std::is_same_v<std::remove_cv_t<Member>, char>) return "an array of characters";
        else return *kind<std::remove_cv_t<Member>>() == 'a' ? kind<std::remove_cv_t<Member>>() : "json";
    } else if constexpr (requires { typename T::hasher; }) return "a container without an order";
    else if constexpr (requires { typename T::first_type; typename T::second_type; }) {
        constexpr const char* first = kind<std::remove_cv_t<typename T::first_type>>();
        return *first == 'a' ? first : *kind<typename T::second_type>() == 'a' ? kind<typename T::second_type>() : "json";
    } else if constexpr (requires { typename T::mapped_type; typename T::key_compare; typename T::iterator; }) {
        using Key = typename T::key_type;
        constexpr bool named = std::is_same_v<Key, char> || std::is_same_v<Key, std::string>;
        if constexpr (!named && (!std::is_integral_v<Key> || std::is_same_v<Key, bool>)) return "a map by other keys than numbers and texts";
        else return *kind<typename T::mapped_type>() == 'a' ? kind<typename T::mapped_type>() : "json";
    } else if constexpr (requires { typename T::value_type; typename T::const_iterator; })
        return *kind<typename T::value_type>() == 'a' ? kind<typename T::value_type>() : "json";
    else return "an object that JSON has no value for";
}
static unsigned long long counts[@PLACES@], truths[@PLACES@], begins[@LOOPS@], ends[@LOOPS@], firsts[@LOOPS@];
static unsigned long long wanted;
static int chosen = -1;
static bool passed;
static std::string token;
struct Report {
    Report() {
        const char* asked = std::getenv("AUDITOR_WATCH");
        if (asked == nullptr) return;
        char name[64];
        if (std::sscanf(asked, "%63s %d %llu", name, &chosen, &wanted) == 3) token = name;
    }
    static void numbers(const char* name, const unsigned long long* values, int count) {
        std::fprintf(stderr, "%s %s", token.c_str(), name);
        for (int place = 0; place < count; ++place) std::fprintf(stderr, " %llu", values[place]);
        std::fputc('\n', stderr);
    }
    ~Report() {
        std::fputc('\n', stderr);
        numbers("counts", counts, @PLACES@);
        numbers("truths", truths, @PLACES@);
        numbers("begins", begins, @LOOPS@);
        numbers("ends", ends, @LOOPS@);
        numbers("firsts", firsts, @LOOPS@);
    }
};
static Report report;
inline void s(int place) { ++counts[place]; }
template <class T> inline bool c(int place, const T& value) {
    const bool holds = static_cast<bool>(value);
    ++counts[place];
    truths[place] += holds;
    return holds;
}
inline bool i(int loop) {
    const bool here = ++begins[loop] == wanted && loop == chosen;
    passed = passed || here;
    return here;
}
inline bool e(int loop) {
    if (++ends[loop] == 1) firsts[loop] = begins[loop];
    return passed && loop == chosen;
}
template <class T> void d(const char* when, const char* name, const T& value) {
    std::string text;
    if constexpr (*kind<T>() != 'a') text = checkpoint_json(value);
    if (text.size() > 65536) text.clear();  // its kind is what is wanted of so large a value
    std::fprintf(stderr, "\n%s value %s %s %zu\n%s\n%s\n", token.c_str(), when, name, text.size(), kind<T>(), text.c_str());
}
inline void d(const char* when, const char* name, ...) {
    std::fprintf(stderr, "\n%s value %s %s 0\nan array of variable length\n\n", token.c_str(), when, name);
}
}
