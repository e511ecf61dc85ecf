/* A closed-loop load generator for heartbeats: one outstanding request a connection.
 *
 * usage: load PORT SECONDS WRONG_EVERY < frames
 * frames, for each connection: the right frame and its error code, then the wrong ones'
 *   int32 count, then count times: int32 length, bytes (length prefix included), int16 code, for
 *   the right frame; the same for the wrong frame.
 * Every reply is checked: length, correlation id, error code. Prints "REPLIES WRONG".
 */
#include <arpa/inet.h>
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

enum { REPLY = 16, CORRELATION_AT = 8, EVENTS = 256 };

struct frame { int32_t length; unsigned char *bytes; int16_t code; };
struct connection {
    int fd;
    struct frame right, wrong;
    uint32_t sent;
    int16_t expected;
    unsigned char reply[REPLY];
    int got;
};

static void fail(const char *what) { perror(what); exit(1); }

static void take(void *to, size_t size) {
    if (fread(to, 1, size, stdin) != size) { fprintf(stderr, "frames end early\n"); exit(1); }
}

static struct frame read_frame(void) {
    struct frame f;
    take(&f.length, 4);
    f.bytes = malloc(f.length);
    take(f.bytes, f.length);
    take(&f.code, 2);
    return f;
}

static void ask(struct connection *c, int wrong_every) {
    struct frame *f = (++c->sent % wrong_every) ? &c->right : &c->wrong;
    uint32_t id = htonl(c->sent);
    memcpy(f->bytes + CORRELATION_AT, &id, 4);
    c->expected = f->code;
    c->got = 0;
    if (write(c->fd, f->bytes, f->length) != f->length) fail("write");
}

static int is_right(const struct connection *c) {
    uint32_t length, id;
    int16_t code;
    memcpy(&length, c->reply, 4);
    memcpy(&id, c->reply + 4, 4);
    memcpy(&code, c->reply + 13, 2); /* after the header's tags and the throttle time */
    return ntohl(length) == 12 && ntohl(id) == c->sent && (int16_t)ntohs(code) == c->expected;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    double seconds = atof(argv[2]);
    int wrong_every = atoi(argv[3]), poll = epoll_create1(0);
    int32_t count;
    take(&count, 4);
    struct connection *all = calloc(count, sizeof *all);
    for (int i = 0; i < count; i++) {
        struct connection *c = &all[i];
        c->right = read_frame();
        c->wrong = read_frame();
        c->sent = i; /* the wrong ones do not come all at once */
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
        int on = 1;
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &e);
    }
    long replies = 0, wrong = 0;
    double end = now() + seconds;
    for (int i = 0; i < count; i++) ask(&all[i], wrong_every);
    while (now() < end) {
        struct epoll_event events[EVENTS];
        int n = epoll_wait(poll, events, EVENTS, 1000);
        if (n == 0) { fprintf(stderr, "no reply for a second\n"); return 1; }
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            ssize_t size = read(c->fd, c->reply + c->got, REPLY - c->got);
            if (size <= 0) { fprintf(stderr, "a connection was closed\n"); return 1; }
            c->got += size;
            if (c->got < REPLY) continue;
            replies++;
            wrong += !is_right(c);
            ask(c, wrong_every);
        }
    }
    printf("%ld %ld\n", replies, wrong);
    return 0;
}
