#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "model_options.h"

/* vfio-model KIND SOCKET [NAME=VALUE...]: one of our device models as a PCI function of QEMU.  Prints
 * `listening` when QEMU may connect, and at QEMU's end one line of JSON.  Exit status: 0, 1 when the guest
 * did what a driver must not do (each on stderr), 2 for a wrong call, 3 when the connection broke. */

static const struct model_kind *const kinds[] = { &kind_nvme, &kind_ahci, &kind_mfi };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int usage(void)
{
    fprintf(stderr, "vfio-model KIND SOCKET [NAME=VALUE...]\n");
    for (unsigned k = 0; k < KINDS; k++) {
        fprintf(stderr, "\n%s:", kinds[k]->name);
        for (const struct model_option *o = kinds[k]->options; o->name; o++)
            fprintf(stderr, " %s", o->name);
    }
    fprintf(stderr, "\n");
    return 2;
}

static int serve(const struct model_kind *k, struct model_under *u, const char *path)
{
    static struct vfio_server server;
    int listener = vfio_listen(path), connection, err;

    if (listener < 0)
        return 3;
    vfio_server_init(&server, k->ops, u->dev, k->host(u->dev));
    if (k->power_on)
        k->power_on(u->dev);
    puts("listening");
    fflush(stdout);
    connection = accept(listener, NULL, NULL);
    close(listener);
    if (connection < 0) {
        perror("accept");
        return 3;
    }
    err = vfio_server_run(&server, connection);
    close(connection);
    printf("{\"kind\":\"%s\",\"violations\":%u,\"messages\":%lu", k->name, server.violations,
           server.messages);
    printf(",\"register_reads\":%lu,\"register_writes\":%lu,\"dma_without_master\":%lu",
           server.register_reads, server.register_writes, server.dma_without_master);
    k->report(u->dev);
    printf("}\n");
    if (err)
        fprintf(stderr, "the connection: %s\n", strerror(err));
    return err ? 3 : server.violations ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct model_kind *k = NULL;
    struct model_under u = { 0 };
    int status = 0;

    for (unsigned i = 0; argc > 1 && i < KINDS; i++)
        if (!strcmp(kinds[i]->name, argv[1]))
            k = kinds[i];
    if (!k || argc < 3)
        return usage();
    if (!k->create(&u)) {
        fprintf(stderr, "no memory for a model\n");
        return 3;
    }
    for (int i = 3; i < argc; i++)
        if (!model_option_set(k, &u, argv[i]))
            status = 2;
    if (!status)
        status = serve(k, &u, argv[2]);
    k->free(u.dev);
    return status;
}
