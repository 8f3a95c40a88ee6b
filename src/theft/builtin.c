#include "builtin.h"

const struct theft_type_info *theft_get_builtin_type_info(enum theft_builtin_type_info type)
{
    static const struct theft_type_info *const types[] = {
        [THEFT_BUILTIN_bool] = &theft_builtin_bool,
        [THEFT_BUILTIN_uint] = &theft_builtin_uint,
        [THEFT_BUILTIN_uint8_t] = &theft_builtin_uint8_t,
        [THEFT_BUILTIN_uint16_t] = &theft_builtin_uint16_t,
        [THEFT_BUILTIN_uint32_t] = &theft_builtin_uint32_t,
        [THEFT_BUILTIN_uint64_t] = &theft_builtin_uint64_t,
        [THEFT_BUILTIN_size_t] = &theft_builtin_size_t,
        [THEFT_BUILTIN_int] = &theft_builtin_int,
        [THEFT_BUILTIN_int8_t] = &theft_builtin_int8_t,
        [THEFT_BUILTIN_int16_t] = &theft_builtin_int16_t,
        [THEFT_BUILTIN_int32_t] = &theft_builtin_int32_t,
        [THEFT_BUILTIN_int64_t] = &theft_builtin_int64_t,
        [THEFT_BUILTIN_float] = &theft_builtin_float,
        [THEFT_BUILTIN_double] = &theft_builtin_double,
        [THEFT_BUILTIN_char_ARRAY] = &theft_builtin_char_array,
        [THEFT_BUILTIN_uint8_t_ARRAY] = &theft_builtin_uint8_t_array,
    };
    return (size_t)type < sizeof types / sizeof *types ? types[type] : NULL;
}

void theft_copy_builtin_type_info(enum theft_builtin_type_info type,
                                  struct theft_type_info *info)
{
    const struct theft_type_info *builtin = theft_get_builtin_type_info(type);
    if (builtin)
        *info = *builtin;
    else
        memset(info, 0, sizeof *info);
}
