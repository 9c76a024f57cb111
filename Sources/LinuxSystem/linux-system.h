#if defined(__linux__)
#include <sys/epoll.h>
#endif
