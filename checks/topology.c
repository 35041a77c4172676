#include "topology.h"
#include "link.h"
#include "str.h"

struct builder {
    const struct pci_facts *f;
    unsigned count;
    const struct topology_controller *controllers;
    unsigned controller_count;
    const struct topology_disk *disks;
    unsigned disk_count;
    struct topology_node *out;
    unsigned capacity, written;
};

static struct topology_node *add(struct builder *b, unsigned depth, const char *kind)
{
    static struct topology_node beyond;
    struct topology_node *n = b->written < b->capacity ? &b->out[b->written] : &beyond;

    b->written++;
    *n = (struct topology_node){ .depth = (uint8_t)depth, .kind = kind };
    return n;
}

static const char *kind_of(const struct pci_facts *f)
{
    if (!f->has_pcie)
        return "bridge";
    return f->type == PCIE_ROOT_PORT || f->type == PCIE_DOWNSTREAM_PORT ? "port"
           : f->type == PCIE_UPSTREAM_PORT                              ? "switch"
                                                                        : "bridge";
}

static void add_bridge(struct builder *b, unsigned depth, const struct pci_facts *f)
{
    struct topology_node *n = add(b, depth, kind_of(f));
    struct text t = text_over(n->words, sizeof n->words);

    path_address_text(f, n->pci_address, sizeof n->pci_address);
    if (n->kind[0] != 'p')
        return;
    text_str(&t, "link ");
    link_text(&t, f->link.speed, f->link.width);
    text_str(&t, ", possible ");
    link_text(&t, f->link.speed_possible, f->link.width_possible);
    if (f->slot.implemented)
        text_fmt(&t, ", slot %u", f->slot.number);
}

static void add_controller(struct builder *b, unsigned depth, unsigned index)
{
    const struct topology_controller *c = &b->controllers[index];
    const struct pci_facts *f = &b->f[c->function];
    struct topology_node *n = add(b, depth, "controller");

    str_copy(n->name, sizeof n->name, c->name);
    str_copy(n->words, sizeof n->words, c->what);
    path_address_text(f, n->pci_address, sizeof n->pci_address);
    for (unsigned i = 0; i < b->disk_count; i++) {
        if (b->disks[i].controller != index)
            continue;
        n = add(b, depth + 1, "disk");
        str_copy(n->name, sizeof n->name, b->disks[i].name);
        str_copy(n->words, sizeof n->words, b->disks[i].model);
    }
}

/* The first controller of the list whose path begins like that of `c` up to and with step `steps`. */
static unsigned first_with(const struct builder *b, const struct path *p, unsigned steps)
{
    for (unsigned i = 0; i < b->controller_count; i++) {
        const struct path *q = &b->controllers[i].path;
        unsigned k = 0;

        while (k < steps && k < q->count && q->at[k] == p->at[k])
            k++;
        if (k == steps)
            return i;
    }
    return b->controller_count;
}

/* Everything below the first `steps` steps of that path. */
static void add_below(struct builder *b, const struct path *p, unsigned steps, unsigned depth)
{
    for (unsigned i = first_with(b, p, steps); i < b->controller_count; i++) {
        const struct path *q = &b->controllers[i].path;
        bool ours = q->count > steps;

        for (unsigned k = 0; ours && k < steps; k++)
            ours = q->at[k] == p->at[k];
        /* Each branch is written by the first controller on it. */
        if (!ours || first_with(b, q, steps + 1) != i)
            continue;
        if (q->count == steps + 1) {
            add_controller(b, depth, i);
        } else {
            add_bridge(b, depth, &b->f[q->at[steps]]);
            add_below(b, q, steps + 1, depth + 1);
        }
    }
}

static bool same_root(const struct builder *b, unsigned i, unsigned k)
{
    const struct pci_facts *x = &b->f[b->controllers[i].path.at[0]], *y = &b->f[b->controllers[k].path.at[0]];

    return x->segment == y->segment && x->bus == y->bus;
}

unsigned topology_build(const struct pci_facts *f, unsigned count,
                        const struct topology_controller *controllers, unsigned controller_count,
                        const struct topology_disk *disks, unsigned disk_count, struct topology_node *out,
                        unsigned capacity)
{
    struct builder b = { f, count, controllers, controller_count, disks, disk_count, out, capacity, 0 };

    for (unsigned i = 0; i < controller_count; i++) {
        unsigned first = 0;

        while (first < i && !same_root(&b, first, i))
            first++;
        if (first < i)
            continue;
        struct topology_node *n = add(&b, 0, "root");
        const struct pci_facts *root = &f[controllers[i].path.at[0]];
        str_fmt(n->pci_address, sizeof n->pci_address, "%04x:%02x", root->segment, root->bus);
        for (unsigned k = i; k < controller_count; k++) {
            const struct path *q = &controllers[k].path;

            if (!same_root(&b, i, k) || first_with(&b, q, 1) != k)
                continue;
            if (q->count == 1) {
                add_controller(&b, 1, k);
            } else {
                add_bridge(&b, 1, &f[q->at[0]]);
                add_below(&b, q, 1, 2);
            }
        }
    }
    return b.written;
}
