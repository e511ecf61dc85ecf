/* The ceiling: an epoll server that answers Heartbeat v4 and does nothing else.
 *
 * usage: ceiling  (prints the port it chose)
 * It parses as little as gives the right code: a generation of 999999 is ILLEGAL_GENERATION (22),
 * a member id that begins with '!' UNKNOWN_MEMBER_ID (25), anything else NONE.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 4096, EVENTS = 256, FDS = 65536, WRONG_GENERATION = 999999 };

static unsigned char buffers[FDS][BUFFER];
static int held[FDS];

static int16_t code_of(const unsigned char *frame) {
    uint16_t client;
    uint32_t generation;
    memcpy(&client, frame + 12, 2);
    const unsigned char *at = frame + 14 + ntohs(client) + 1; /* past the header's tags */
    at += at[0];                                              /* the group id, compact */
    memcpy(&generation, at, 4);
    if (ntohl(generation) == WRONG_GENERATION) return 22;
    return at[5] == '!' ? 25 : 0;
}

static void answer(int fd, const unsigned char *frame) {
    unsigned char reply[16] = {0, 0, 0, 12};
    int16_t code = htons(code_of(frame));
    memcpy(reply + 4, frame + 8, 4);
    memcpy(reply + 13, &code, 2);
    if (write(fd, reply, sizeof reply) != sizeof reply) exit(1);
}

static int serve(int fd) {
    ssize_t size = read(fd, buffers[fd] + held[fd], BUFFER - held[fd]);
    if (size <= 0) return 0;
    held[fd] += size;
    int at = 0;
    while (held[fd] - at >= 4) {
        uint32_t length;
        memcpy(&length, buffers[fd] + at, 4);
        length = ntohl(length) + 4;
        if (held[fd] - at < (int)length) break;
        answer(fd, buffers[fd] + at);
        at += length;
    }
    held[fd] -= at;
    memmove(buffers[fd], buffers[fd] + at, held[fd]);
    return 1;
}

int main(void) {
    struct rlimit files = {FDS, FDS};
    setrlimit(RLIMIT_NOFILE, &files);
    int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024)) return 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &e);
    for (;;) {
        int n = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                int new = accept(listener, NULL, NULL), on = 1;
                setsockopt(new, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                held[new] = 0;
                struct epoll_event added = {.events = EPOLLIN, .data.fd = new};
                epoll_ctl(poll, EPOLL_CTL_ADD, new, &added);
            } else if (!serve(fd)) {
                close(fd);
            }
        }
    }
}
