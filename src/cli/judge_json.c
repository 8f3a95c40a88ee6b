/* judge_json.c -- the JSON of attest judge, and the record that attest report shows. */
#include <attest/version.h>

#include "base/input.h"
#include "cli/judge.h"

static void write_output(attest_json *json, const char *key, attest_qkv_output *output)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "path", attest_input_name(output->path));
    attest_json_write_string(json, "tensor", output->file->is_npy ? NULL : output->name);
    attest_json_write_close(json);
}

static void write_difference(attest_json *json, const judge_job *job)
{
    const attest_judge_difference *most = NULL;
    size_t differ = 0, beyond = 0, layer = 0;

    for (size_t i = 0; i < job->layers; i++) {
        const attest_judge_difference *this = &job->difference[i];

        differ += this->differ;
        beyond += this->beyond;
        if (this->has_at && (!most || this->ratio > most->ratio)) {
            most = this;
            layer = i;
        }
    }
    attest_json_write_object(json, "difference");
    attest_json_write_count(json, "differ", differ);
    attest_json_write_count(json, "beyond", beyond);
    if (most) {
        attest_json_write_double(json, "max_ratio", most->ratio);
        attest_judgement_write_place(json, job->layer[layer].number,
                                     job->layer[layer].summary.shape, most->at);
        attest_json_write_double(json, "output", most->y);
        attest_json_write_double(json, "against", most->z);
        attest_json_write_double(json, "allowed", most->allowed);
    }
    attest_json_write_close(json);
}

void attest_cli_judge_write(attest_json *json, judge_job *job)
{
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "format", "attest/judgement");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "attest", attest_version());
    attest_cli_qkv_write_subject(json, &job->x, &job->first,
                                 job->against ? &job->second : NULL);
    write_output(json, "output", &job->first);
    attest_judgement_write(json, job->layer, job->layers);
    if (job->against) {
        attest_json_write_object(json, "against");
        write_output(json, "output", &job->second);
        attest_judgement_write(json, job->other, job->layers);
        attest_json_write_close(json);
        write_difference(json, job);
    }
    attest_json_write_close(json);
}
