// curl_easy_setopt and curl_easy_getinfo at an address, for one kind of argument each. No header and no library
// of libcurl's is needed: FoundationNetworking brings it, and its calls are looked up by name.
static inline int otalab_curl_set_number(void *_Nonnull setopt, void *_Nonnull handle, int option, long value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}

static inline int otalab_curl_set_text(
    void *_Nonnull setopt, void *_Nonnull handle, int option, const char *_Nonnull value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}

// Takes back what stands there by itself.
static inline int otalab_curl_set_nothing(void *_Nonnull setopt, void *_Nonnull handle, int option) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, (void *)0);
}

static inline int otalab_curl_set_pointer(
    void *_Nonnull setopt, void *_Nonnull handle, int option, void *_Nonnull value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}

typedef int (*otalab_curl_progress)(
    void *_Nullable context, long long toReceive, long long received, long long toSend, long long sent);

static inline int otalab_curl_set_progress(
    void *_Nonnull setopt, void *_Nonnull handle, int option, otalab_curl_progress _Nonnull value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}

typedef int (*otalab_curl_context)(void *_Nullable handle, void *_Nullable context, void *_Nullable argument);

static inline int otalab_curl_set_context(
    void *_Nonnull setopt, void *_Nonnull handle, int option, otalab_curl_context _Nonnull value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}

static inline int otalab_curl_descriptor(void *_Nonnull getinfo, void *_Nonnull handle, int what) {
  int value = -1;
  return ((int (*)(void *, int, ...))getinfo)(handle, what, &value) == 0 ? value : -1;
}

static inline long otalab_curl_number(void *_Nonnull getinfo, void *_Nonnull handle, int what) {
  long value = 0;
  return ((int (*)(void *, int, ...))getinfo)(handle, what, &value) == 0 ? value : 0;
}
