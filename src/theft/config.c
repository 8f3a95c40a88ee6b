/* What makes a configuration fit to be run. */
#include "internal.h"

bool theft_type_check(const struct theft_type_info *info)
{
    return info && info->alloc && !(info->shrink && info->autoshrink_config.enable);
}

static bool has_property(const struct theft_run_config *cfg, uint8_t arity)
{
    switch (arity) {
    case 1:
        return cfg->prop1 != NULL;
    case 2:
        return cfg->prop2 != NULL;
    case 3:
        return cfg->prop3 != NULL;
    case 4:
        return cfg->prop4 != NULL;
    case 5:
        return cfg->prop5 != NULL;
    case 6:
        return cfg->prop6 != NULL;
    case 7:
        return cfg->prop7 != NULL;
    default:
        return false;
    }
}

bool theft_config_check(const struct theft_run_config *cfg, uint8_t *arity)
{
    if (!cfg)
        return false;
    for (*arity = 0; *arity < THEFT_MAX_ARITY && cfg->type_info[*arity]; (*arity)++)
        if (!theft_type_check(cfg->type_info[*arity]))
            return false;
    if (cfg->always_seed_count && !cfg->always_seeds)
        return false;
    return has_property(cfg, *arity);
}
