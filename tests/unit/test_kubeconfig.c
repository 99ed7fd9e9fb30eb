#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "k8s/client/kubeconfig.h"
#include "k8s/client/kubeconfig_choose.h"
#include "tests/check.h"

#define CERTIFICATE "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"
/* base64 of CERTIFICATE, and of a word */
#define CERTIFICATE_DATA                                                                           \
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JST0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
#define NOT_PEM_DATA "aGVsbG8="

static const char whole[] = "apiVersion: v1\n"
                            "kind: Config\n"
                            "current-context: work\n"
                            "preferences: {}\n"
                            "clusters:\n"
                            "- name: blue\n"
                            "  cluster:\n"
                            "    server: https://10.0.0.1:6443/\n"
                            "    certificate-authority-data: " CERTIFICATE_DATA "\n"
                            "    tls-server-name: blue.example\n"
                            "- name: plain\n"
                            "  cluster: {server: 'http://127.0.0.1:8001'}\n"
                            "- name: trusting\n"
                            "  cluster:\n"
                            "    server: https://localhost:1\n"
                            "    insecure-skip-tls-verify: true\n"
                            "contexts:\n"
                            "- name: work\n"
                            "  context: {cluster: blue, user: ana, namespace: training}\n"
                            "- name: default-space\n"
                            "  context: {cluster: blue, user: carla}\n"
                            "- name: open\n"
                            "  context: {cluster: plain, user: ana}\n"
                            "- name: unchecked\n"
                            "  context: {cluster: trusting, user: ana}\n"
                            "- name: old\n"
                            "  context: {cluster: blue, user: oldie}\n"
                            "- name: cloud\n"
                            "  context: {cluster: blue, user: cloudy}\n"
                            "- name: lost\n"
                            "  context: {cluster: blue, user: nobody}\n"
                            "users:\n"
                            "- name: ana\n"
                            "  user: {token: abc.def}\n"
                            "- name: carla\n"
                            "  user:\n"
                            "    client-certificate-data: " CERTIFICATE_DATA "\n"
                            "    client-key-data: " CERTIFICATE_DATA "\n"
                            "- name: oldie\n"
                            "  user: {username: me, password: secret}\n"
                            "- name: cloudy\n"
                            "  user:\n"
                            "    exec:\n"
                            "      apiVersion: client.authentication.k8s.io/v1\n"
                            "      command: bin/get-token\n"
                            "      args: [--cluster, blue]\n"
                            "      env: [{name: REGION, value: here}]\n"
                            "      installHint: Install it.\n"
                            "      interactiveMode: IfAvailable\n";

struct fixture {
    struct arena arena;
    struct kubeconfig config;
    struct kube_access access;
    struct error *err;
};

static void begin(struct fixture *fixture, struct error *err)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->err = err;
    arena_init(&fixture->arena, ARENA_MAXIMUM);
}

static enum status take(struct fixture *fixture, const char *yaml)
{
    return kubeconfig_read(slice_of(yaml), "/home/ana/config", &fixture->arena, &fixture->config,
                           fixture->err);
}

static enum status choose(struct fixture *fixture, struct kubeconfig_choice choice)
{
    return kubeconfig_choose(&fixture->config, &choice, &fixture->arena, &fixture->access,
                             fixture->err);
}

static void end(struct fixture *fixture)
{
    arena_deinit(&fixture->arena);
}

static void the_current_context_names_server_user_and_namespace(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, whole));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = NULL}));
    CHECK_SLICE(f.access.server, "https://10.0.0.1:6443");
    CHECK_SLICE(f.access.server_name, "blue.example");
    CHECK_SLICE(f.access.authority, CERTIFICATE);
    CHECK_SLICE(f.access.token, "abc.def");
    CHECK_SLICE(f.access.kube_namespace, "training");
    CHECK(!f.access.is_insecure && !f.access.exec && !f.access.certificate.data);
    end(&f);
}

static void a_context_by_name_with_a_client_certificate(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, whole));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = "default-space"}));
    CHECK_SLICE(f.access.certificate, CERTIFICATE);
    CHECK_SLICE(f.access.key, CERTIFICATE);
    CHECK_SLICE(f.access.kube_namespace, "default");
    CHECK(!f.access.token.data);
    end(&f);
}

static void what_is_insecure_is_refused_unless_allowed(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, whole));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "open"}) == STATUS_PERMISSION);
    CHECK(strstr(err.message, "/home/ana/config:12: server: http://"));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "unchecked"}) == STATUS_PERMISSION);
    CHECK(strstr(err.message, ":16: insecure-skip-tls-verify: "));
    CHECK(strstr(err.hint, "--insecure"));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = "open", .allows_insecure = true}));
    CHECK(!f.access.is_insecure);
    CHECK_OK(
        choose(&f, (struct kubeconfig_choice){.context = "unchecked", .allows_insecure = true}));
    CHECK(f.access.is_insecure);
    end(&f);
}

static void programs_run_only_where_the_caller_allows_it(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, whole));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "cloud"}) == STATUS_PERMISSION);
    CHECK(strstr(err.message, ":45: command: "));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = "cloud", .allows_exec = true}));
    CHECK_SLICE(f.access.exec->command, "/home/ana/bin/get-token");
    CHECK_INT(f.access.exec->argument_count, 2);
    CHECK_SLICE(f.access.exec->arguments[1], "blue");
    CHECK_SLICE(f.access.exec->variables[0], "REGION=here");
    end(&f);
}

static void what_is_not_there_is_named(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, whole));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "wrk"}) == STATUS_NOT_FOUND);
    CHECK(strstr(err.message, "no context \"wrk\""));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "lost"}) == STATUS_NOT_FOUND);
    CHECK(strstr(err.message, ":31: user: there is no user \"nobody\""));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = "old"}) == STATUS_UNSUPPORTED);
    CHECK(strstr(err.message, ":40: username: "));
    CHECK(!strstr(err.message, "secret"));
    memset(&f.config, 0, sizeof f.config);
    CHECK_OK(take(&f, "kind: Config\n"));
    CHECK(choose(&f, (struct kubeconfig_choice){.context = NULL}) == STATUS_NOT_FOUND);
    end(&f);
}

static void the_first_file_that_names_a_thing_wins(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, &err);
    CHECK_OK(take(&f, "contexts: [{name: work, context: {cluster: red, user: ana}}]\n"));
    CHECK_OK(take(&f, whole));
    CHECK_OK(take(&f, "current-context: other\n"
                      "clusters: [{name: red, cluster: {server: 'https://red'}}]\n"));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = NULL}));
    CHECK_SLICE(f.access.server, "https://red");
    end(&f);
}

/* text, and what the error of reading it or of choosing from it says. */
static const struct {
    const char *yaml, *problem;
} wrong[] = {
    {"a: [1", "config:2: no YAML"},
    {"[]", "config:1: the file: expected a mapping"},
    {"kind: Pod", "config:1: kind: expected Config"},
    {"apiVersion: v2", "config:1: apiVersion: expected v1"},
    {"clusters: 7", "config:1: clusters: expected a list"},
    {"clusters: [7]", "config:1: cluster: expected a mapping"},
    {"clusters:\n- {cluster: {server: 'https://a'}}", ":2: cluster: the name is missing"},
    {"clusters:\n- name: a\n  cluster: 5", ":3: cluster: expected a mapping"},
    {"clusters:\n- name: a\n  cluster: {server: [1]}", ":3: server: expected a text"},
    {"clusters:\n- name: a\n  cluster: {server: \"a\\0b\"}", ":3: server: expected a text"},
    {"clusters:\n- name: a\n  cluster:\n    server: b\n    server: c",
     ":5: server: is there twice"},
    {"clusters: [{name: a, cluster: {insecure-skip-tls-verify: 1}}]",
     "insecure-skip-tls-verify: expected true or false"},
    {"users:\n- name: a\n  user: {exec: {}}", ":3: exec: the command is missing"},
    {"users:\n- name: a\n  user: {exec: {command: b, apiVersion: v1}}",
     "exec apiVersion: expected client.authentication.k8s.io/v1"},
    {"users: [{name: a, user: {exec: {command: b, interactiveMode: Always, apiVersion: "
     "client.authentication.k8s.io/v1}}}]",
     "interactiveMode"},
    {"users: [{name: a, user: {exec: {command: b, args: [[]], apiVersion: "
     "client.authentication.k8s.io/v1}}}]",
     "exec args: expected texts"},
    {"users: [{name: a, user: {exec: {command: b, env: [{name: 'x=y'}], apiVersion: "
     "client.authentication.k8s.io/v1}}}]",
     "exec env: expected the name of a variable"},
};

static void errors_of_reading_name_file_line_and_field(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        begin(&f, &err);
        if (take(&f, wrong[i].yaml) != STATUS_CORRUPT || !strstr(err.message, wrong[i].problem))
            check_failed("%s: %s", wrong[i].yaml, err.message);
        end(&f);
    }
}

/* Members of the cluster and of the user, where the rest is fine. */
static const struct {
    const char *cluster, *user, *problem;
} unfit[] = {
    {"server: ftp://a", "token: t", "server: expected an https:// URL"},
    {"server: https://", "token: t", "server: the URL has no host"},
    {"server: 'https://me:pw@a'", "token: t", "server: a URL of a server has no '@'"},
    {"server: 'https://a b'", "token: t", "server: expected an https:// URL"},
    {"proxy-url: socks5://a, server: 'https://a'", "token: t", "proxy-url: expected an http://"},
    {"tls-server-name: 'a/b', server: 'https://a'", "token: t",
     "tls-server-name: expected the name"},
    {"certificate-authority-data: '*', server: 'https://a'", "token: t",
     "certificate-authority-data: no base64"},
    {"certificate-authority-data: " NOT_PEM_DATA ", server: 'https://a'", "token: t",
     "certificate-authority-data: no PEM certificate"},
    {"certificate-authority: none, server: 'https://a'", "token: t",
     "certificate-authority: cannot open /home/ana/none"},
    {"server: 'https://a'", "token: \"a\\nHost: b\"", "token: a token has visible ASCII"},
    {"server: 'https://a'", "tokenFile: /dev/zero", "tokenFile: /dev/zero is not a regular file"},
    {"server: 'https://a'", "client-key-data: " CERTIFICATE_DATA, "its key come together"},
    {"server: 'https://a', insecure-skip-tls-verify: true, certificate-authority: b", "token: t",
     "a certificate authority is named as well"},
};

static void errors_of_choosing_name_file_line_and_field(void **state)
{
    struct fixture f;
    struct error err;
    char yaml[1024];
    (void)state;

    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        begin(&f, &err);
        snprintf(yaml, sizeof yaml,
                 "clusters: [{name: c, cluster: {%s}}]\nusers: [{name: u, user: {%s}}]\n"
                 "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                 unfit[i].cluster, unfit[i].user);
        CHECK_OK(take(&f, yaml));
        if (choose(&f, (struct kubeconfig_choice){.context = NULL}) == STATUS_OK ||
            !strstr(err.message, unfit[i].problem) || !strstr(err.message, "config:"))
            check_failed("%s: %s", yaml, err.message);
        end(&f);
    }
}

static void files_count_from_the_folder_of_the_kubeconfig(void **state)
{
    char folder[] = "/tmp/test_kubeconfig.XXXXXX", path[PATH_MAX];
    struct fixture f;
    struct error err;
    FILE *file;
    (void)state;

    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/token", folder);
    CHECK((file = fopen(path, "w")) && fputs("  from-file\n", file) >= 0 && fclose(file) == 0);
    snprintf(path, sizeof path, "%s/config", folder);
    CHECK((file = fopen(path, "w")) &&
          fputs("clusters: [{name: c, cluster: {server: 'https://a'}}]\n"
                "users: [{name: u, user: {token: ignored, tokenFile: token}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                file) >= 0 &&
          fclose(file) == 0);
    begin(&f, &err);
    CHECK_OK(kubeconfig_load(path, &f.arena, &f.config, &err));
    CHECK_OK(choose(&f, (struct kubeconfig_choice){.context = NULL}));
    CHECK_SLICE(f.access.token, "from-file");
    CHECK_FAILS(kubeconfig_load(folder, &f.arena, &f.config, &err), STATUS_IO,
                "not a regular file");
    end(&f);
    CHECK(unlink(path) == 0);
    snprintf(path, sizeof path, "%s/token", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

static void write_in(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK((file = fopen(path, "w")) && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void a_pod_knows_its_cluster_by_itself(void **state)
{
    char folder[] = "/tmp/test_kubeconfig.XXXXXX";
    static const char *const names[] = {"token", "ca.crt", "namespace"};
    struct fixture f;
    struct error err;
    (void)state;

    CHECK(mkdtemp(folder));
    write_in(folder, "token", "pod-token\n");
    write_in(folder, "ca.crt", CERTIFICATE);
    write_in(folder, "namespace", "training");
    begin(&f, &err);
    CHECK_FAILS(access_in_cluster(folder, NULL, "443", &f.arena, &f.access, &err), STATUS_NOT_FOUND,
                "not in a pod");
    CHECK_FAILS(access_in_cluster(folder, "10.0.0.1", "0", &f.arena, &f.access, &err),
                STATUS_CORRUPT, "KUBERNETES_SERVICE_PORT");
    CHECK_OK(access_in_cluster(folder, "fd00::1", "443", &f.arena, &f.access, &err));
    CHECK_SLICE(f.access.server, "https://[fd00::1]:443");
    CHECK_SLICE(f.access.token, "pod-token");
    CHECK_SLICE(f.access.kube_namespace, "training");
    write_in(folder, "namespace", "Training");
    CHECK_FAILS(access_in_cluster(folder, "10.0.0.1", "443", &f.arena, &f.access, &err),
                STATUS_CORRUPT, "namespace: expected a namespace");
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(unlink(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
    end(&f);
}

static void size_and_number_have_limits(void **state)
{
    struct fixture f;
    struct text yaml;
    struct error err;
    (void)state;

    text_init(&yaml, KUBECONFIG_BYTES_MAX + 10);
    text_append_string(&yaml, "clusters:\n");
    for (int i = 0; i <= KUBECONFIG_ENTRIES_MAX; i++)
        text_printf(&yaml, "- name: c%d\n", i);
    begin(&f, &err);
    CHECK(take(&f, text_string(&yaml)) == STATUS_CORRUPT);
    CHECK(strstr(err.message, "too many entries"));
    while (yaml.size <= KUBECONFIG_BYTES_MAX)
        text_append_char(&yaml, '\n');
    CHECK(take(&f, text_string(&yaml)) == STATUS_LIMIT);
    text_deinit(&yaml);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_current_context_names_server_user_and_namespace),
        cmocka_unit_test(a_context_by_name_with_a_client_certificate),
        cmocka_unit_test(what_is_insecure_is_refused_unless_allowed),
        cmocka_unit_test(programs_run_only_where_the_caller_allows_it),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(the_first_file_that_names_a_thing_wins),
        cmocka_unit_test(errors_of_reading_name_file_line_and_field),
        cmocka_unit_test(errors_of_choosing_name_file_line_and_field),
        cmocka_unit_test(files_count_from_the_folder_of_the_kubeconfig),
        cmocka_unit_test(a_pod_knows_its_cluster_by_itself),
        cmocka_unit_test(size_and_number_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
