/* A closed-loop load generator: one outstanding request a connection, every reply compared.
 *
 * usage: load PORT SECONDS OTHER_EVERY < connections
 * connections: int32 count, then for each one its usual frame and its other one, which is sent once
 *   in OTHER_EVERY requests (0: never). A frame is
 *   int32 length, bytes (length prefix included): the request;
 *   int32 count, int32 places: where eight bytes go that count the requests (offsets to commit);
 *   int32 length, bytes: the reply.
 * The correlation id is filled in, in both. Prints "REPLIES WRONG".
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_ID_AT = 8, REPLY_ID_AT = 4, EVENTS = 256 };

struct frame { int32_t length, counters, reply_length; int32_t *places; unsigned char *bytes, *reply; };
struct connection {
    int fd;
    struct frame frames[2], *asked;
    uint64_t sent;
    unsigned char *reply;
    int got;
};

static void fail(const char *what) { perror(what); exit(1); }

static void take(void *to, size_t size) {
    if (size && fread(to, size, 1, stdin) != 1) { fprintf(stderr, "input ends early\n"); exit(1); }
}

static void *taken(int32_t *count, size_t size) {
    take(count, 4);
    void *to = malloc(*count * size + 1);
    take(to, *count * size);
    return to;
}

static struct frame read_frame(void) {
    struct frame f;
    f.bytes = taken(&f.length, 1);
    f.places = taken(&f.counters, 4);
    f.reply = taken(&f.reply_length, 1);
    return f;
}

static void ask(struct connection *c, int other_every) {
    struct frame *f = c->asked = &c->frames[++c->sent % other_every == 0];
    uint32_t id = htonl((uint32_t)c->sent);
    uint64_t count = htobe64(c->sent);
    memcpy(f->bytes + REQUEST_ID_AT, &id, 4);
    memcpy(f->reply + REPLY_ID_AT, &id, 4);
    for (int i = 0; i < f->counters; i++) memcpy(f->bytes + f->places[i], &count, 8);
    c->got = 0;
    if (write(c->fd, f->bytes, f->length) != f->length) fail("write");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void open_connection(struct connection *c, struct sockaddr_in *address, int poll) {
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c->fd, (struct sockaddr *)address, sizeof *address)) fail("connect");
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &e);
}

static int max(int a, int b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    double seconds = atof(argv[2]);
    int other_every = atoi(argv[3]), poll = epoll_create1(0);
    if (other_every == 0) other_every = 1 << 30;
    int32_t count;
    take(&count, 4);
    struct connection *all = calloc(count, sizeof *all);
    for (int i = 0; i < count; i++) {
        struct connection *c = &all[i];
        for (int k = 0; k < 2; k++) c->frames[k] = read_frame();
        c->reply = malloc(max(c->frames[0].reply_length, c->frames[1].reply_length));
        c->sent = i; /* the other ones do not come all at once */
        open_connection(c, &address, poll);
    }
    long replies = 0, wrong = 0;
    double end = now() + seconds;
    for (int i = 0; i < count; i++) ask(&all[i], other_every);
    while (now() < end) {
        struct epoll_event events[EVENTS];
        int n = epoll_wait(poll, events, EVENTS, 5000);
        if (n == 0) { fprintf(stderr, "no reply for five seconds\n"); return 1; }
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            int length = c->asked->reply_length;
            ssize_t size = read(c->fd, c->reply + c->got, length - c->got);
            if (size <= 0) { fprintf(stderr, "a connection was closed\n"); return 1; }
            c->got += size;
            if (c->got < length) continue;
            replies++;
            wrong += memcmp(c->reply, c->asked->reply, length) != 0;
            ask(c, other_every);
        }
    }
    printf("%ld %ld\n", replies, wrong);
    return 0;
}
