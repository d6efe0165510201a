/* stdio.h: text made by a format. Floating point numbers, addresses and wide characters are unsupported: a program whose
   formats have them keeps what is known of the functions by name. */

void __residue_unsupported_conversion(void);

static void __residue_put(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, char c)
{
    if (at + 1 < size)
        to[at] = c;
}

static __SIZE_TYPE__ __residue_pad(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, int count, char c)
{
    while (count > 0) {
        __residue_put(to, size, at, c);
        at = at + 1;
        count = count - 1;
    }
    return at;
}

/* The digits of a number, the last one first; none for 0. */
static int __residue_digits(char *digits, unsigned long long value, unsigned base, char ten)
{
    int count = 0;
    unsigned small;
    while (value > 0xffffffffu) {
        unsigned digit = (unsigned)(value % base);
        digits[count] = (char)(digit < 10 ? '0' + digit : ten + (digit - 10));
        value = value / base;
        count = count + 1;
    }
    small = (unsigned)value;
    while (small != 0) {
        unsigned digit = small % base;
        digits[count] = (char)(digit < 10 ? '0' + digit : ten + (digit - 10));
        small = small / base;
        count = count + 1;
    }
    return count;
}

static __SIZE_TYPE__ __residue_print_number(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, unsigned long long value, char conversion,
                                            char sign, int alternative, int width, int precision, int left, int zero)
{
    char digits[24];
    unsigned base = conversion == 'o' ? 8 : conversion == 'x' || conversion == 'X' ? 16 : 10;
    int count = __residue_digits(digits, value, base, conversion == 'X' ? 'A' : 'a');
    int prefix = alternative && base == 16 && value != 0 ? 2 : 0, zeros, pad;
    zeros = precision < 0 ? (count == 0 ? 1 : 0) : precision > count ? precision - count : 0;
    if (alternative && base == 8 && zeros == 0)
        zeros = 1;
    pad = width - count - zeros - prefix - (sign != 0 ? 1 : 0);
    if (pad > 0 && zero && !left && precision < 0) {
        zeros = zeros + pad;
        pad = 0;
    }
    if (!left)
        at = __residue_pad(to, size, at, pad, ' ');
    if (sign != 0)
        at = __residue_pad(to, size, at, 1, sign);
    if (prefix != 0) {
        at = __residue_pad(to, size, at, 1, '0');
        at = __residue_pad(to, size, at, 1, conversion);
    }
    at = __residue_pad(to, size, at, zeros, '0');
    while (count > 0) {
        count = count - 1;
        __residue_put(to, size, at, digits[count]);
        at = at + 1;
    }
    return left ? __residue_pad(to, size, at, pad, ' ') : at;
}

static __SIZE_TYPE__ __residue_print_string(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, const char *s, int width, int precision,
                                            int left)
{
    int length = 0, i;
    while (length != precision && s[length] != 0)
        length = length + 1;
    if (!left)
        at = __residue_pad(to, size, at, width - length, ' ');
    for (i = 0; i < length; i = i + 1) {
        __residue_put(to, size, at, s[i]);
        at = at + 1;
    }
    return left ? __residue_pad(to, size, at, width - length, ' ') : at;
}

static int __residue_format(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list)
{
    __SIZE_TYPE__ at = 0, i = 0;
    while (format[i] != 0) {
        int left = 0, plus = 0, space = 0, alternative = 0, zero = 0, width = 0, precision = -1, length = 0;
        char conversion;
        if (format[i] != '%') {
            __residue_put(to, size, at, format[i]);
            at = at + 1;
            i = i + 1;
            continue;
        }
        i = i + 1;
        while (format[i] == '-' || format[i] == '+' || format[i] == ' ' || format[i] == '#' || format[i] == '0') {
            if (format[i] == '-')
                left = 1;
            else if (format[i] == '+')
                plus = 1;
            else if (format[i] == ' ')
                space = 1;
            else if (format[i] == '#')
                alternative = 1;
            else
                zero = 1;
            i = i + 1;
        }
        if (format[i] == '*') {
            width = __builtin_va_arg(list, int);
            if (width < 0) {
                left = 1;
                width = -width;
            }
            i = i + 1;
        }
        while (format[i] >= '0' && format[i] <= '9') {
            width = width * 10 + (format[i] - '0');
            i = i + 1;
        }
        if (format[i] == '.') {
            precision = 0;
            i = i + 1;
            if (format[i] == '*') {
                precision = __builtin_va_arg(list, int);
                if (precision < 0)
                    precision = -1;
                i = i + 1;
            }
            while (format[i] >= '0' && format[i] <= '9') {
                precision = precision * 10 + (format[i] - '0');
                i = i + 1;
            }
        }
        /* -2 char, -1 short, 0 int, 1 long, 2 long long */
        while (format[i] == 'h' || format[i] == 'l' || format[i] == 'z' || format[i] == 't' || format[i] == 'j' || format[i] == 'q') {
            if (format[i] == 'h')
                length = length - 1;
            else if (format[i] == 'l')
                length = length + 1;
            else if (format[i] == 'z' || format[i] == 't')
                length = 1;
            else
                length = 2;
            i = i + 1;
        }
        conversion = format[i];
        if (conversion == 'd' || conversion == 'i') {
            long long value;
            char sign;
            if (length >= 2)
                value = __builtin_va_arg(list, long long);
            else if (length == 1)
                value = __builtin_va_arg(list, long);
            else {
                int narrow = __builtin_va_arg(list, int);
                value = length == 0 ? narrow : length == -1 ? (short)narrow : (signed char)narrow;
            }
            sign = value < 0 ? '-' : plus ? '+' : space ? ' ' : 0;
            at = __residue_print_number(to, size, at, value < 0 ? -(unsigned long long)value : value, conversion, sign, 0, width,
                                        precision, left, zero);
        } else if (conversion == 'u' || conversion == 'x' || conversion == 'X' || conversion == 'o') {
            unsigned long long value;
            if (length >= 2)
                value = __builtin_va_arg(list, unsigned long long);
            else if (length == 1)
                value = __builtin_va_arg(list, unsigned long);
            else {
                unsigned narrow = __builtin_va_arg(list, unsigned);
                value = length == 0 ? narrow : length == -1 ? (unsigned short)narrow : (unsigned char)narrow;
            }
            at = __residue_print_number(to, size, at, value, conversion, 0, alternative, width, precision, left, zero);
        } else if (conversion == 'c' && length == 0) {
            char c = (char)__builtin_va_arg(list, int);
            if (!left)
                at = __residue_pad(to, size, at, width - 1, ' ');
            at = __residue_pad(to, size, at, 1, c);
            if (left)
                at = __residue_pad(to, size, at, width - 1, ' ');
        } else if (conversion == 's' && length == 0)
            at = __residue_print_string(to, size, at, __builtin_va_arg(list, const char *), width, precision, left);
        else if (conversion == '%')
            at = __residue_pad(to, size, at, 1, '%');
        else
            __residue_unsupported_conversion();
        i = i + 1;
    }
    if (size != 0)
        to[at < size ? at : size - 1] = 0;
    return (int)at;
}

int vsnprintf(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list)
{
    return __residue_format(to, size, format, list);
}

int vsprintf(char *to, const char *format, __builtin_va_list list)
{
    return __residue_format(to, ~(__SIZE_TYPE__)0, format, list);
}

int snprintf(char *to, __SIZE_TYPE__ size, const char *format, ...)
{
    __builtin_va_list list;
    int written;
    __builtin_va_start(list, format);
    written = __residue_format(to, size, format, list);
    __builtin_va_end(list);
    return written;
}

int sprintf(char *to, const char *format, ...)
{
    __builtin_va_list list;
    int written;
    __builtin_va_start(list, format);
    written = __residue_format(to, ~(__SIZE_TYPE__)0, format, list);
    __builtin_va_end(list);
    return written;
}

int __snprintf_chk(char *to, __SIZE_TYPE__ size, int flag, __SIZE_TYPE__ room, const char *format, ...)
{
    __builtin_va_list list;
    int written;
    __builtin_va_start(list, format);
    written = __residue_format(to, size, format, list);
    __builtin_va_end(list);
    return written;
}

int __sprintf_chk(char *to, int flag, __SIZE_TYPE__ room, const char *format, ...)
{
    __builtin_va_list list;
    int written;
    __builtin_va_start(list, format);
    written = __residue_format(to, ~(__SIZE_TYPE__)0, format, list);
    __builtin_va_end(list);
    return written;
}
