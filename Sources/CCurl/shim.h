/*
 * libcurl for Swift: its three variadic functions in forms that Swift can call, one for each type of value.
 * Everything else is used as curl/curl.h declares it.
 */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/socket.h>

typedef size_t (*feed_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode feed_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode feed_set_large(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/* Strings, which libcurl copies (except CURLOPT_POSTFIELDS), and lists and pointers, which it does not. */
static inline CURLcode feed_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode feed_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode feed_set_sink(CURL *easy, CURLoption option, feed_curl_sink value) {
  return curl_easy_setopt(easy, option, value);
}

/* Makes sockets as libcurl does, and keeps the error if that fails; libcurl does not. */
static inline curl_socket_t feed_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  int number = socket(address->family, address->socktype, address->protocol);
  (void)purpose;
  if (number < 0)
    *(int *)context = errno;
  else
    fcntl(number, F_SETFD, FD_CLOEXEC);
  return number;
}

static inline CURLcode feed_keep_socket_error(CURL *easy, int *error) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, feed_open_socket);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, (void *)error);
}

static inline CURLcode feed_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode feed_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
  return curl_easy_getinfo(easy, info, value);
}

/* Lets all transfers that use a share have the same cookies. One thread needs no locks. */
static inline CURLSHcode feed_share_cookies(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

/* The socket of a connection made by CURLOPT_CONNECT_ONLY; -1 if there is none any more. */
static inline int feed_active_socket(CURL *easy) {
  curl_socket_t number = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &number) == CURLE_OK ? (int)number : -1;
}

/* Sets how many connections are kept for the next requests. */
static inline CURLMcode feed_limit_connections(CURLM *multi, long count) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

/* Sets the age up to which a connection is used again, in seconds; an old libcurl has no such limit. */
static inline CURLcode feed_limit_age(CURL *easy, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075000
  return curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, seconds);
#else
  (void)easy, (void)seconds;
  return CURLE_OK;
#endif
}

/* Lets libcurl answer the challenges of Digest authentication, and no others. */
static inline CURLcode feed_use_digest(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
}

/* Signs the request as AWS does; an old libcurl cannot. */
static inline CURLcode feed_sign_aws(CURL *easy, const char *provider) {
#if LIBCURL_VERSION_NUM >= 0x074b00
  return curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, provider);
#else
  (void)easy, (void)provider;
  return CURLE_NOT_BUILT_IN;
#endif
}

/* Allows only http and https, whatever this libcurl was built with, by the option of its version. */
static inline CURLcode feed_set_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* The flag that makes curl_url_get write a host name in ASCII (xn--...); 0 in a libcurl without it. */
static inline unsigned int feed_punycode(void) {
#ifdef CURLU_PUNYCODE
  return CURLU_PUNYCODE;
#else
  return 0;
#endif
}

/* libcurl's library for international names expects the locale's encoding, but a program starts in the C locale. This
 * sets only LC_CTYPE, and only if a name needs it. If there is no such locale, nothing changes. */
static inline void feed_use_utf8(void) {
  static const char *const names[] = {"C.UTF-8", "UTF-8", "en_US.UTF-8", ""};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (setlocale(LC_CTYPE, names[i]) != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  }
  setlocale(LC_CTYPE, "C");
}

/* The next transfer that has ended: 1 with its result, 0 if there is none. */
static inline int feed_next_result(CURLM *multi, CURL **easy, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  }
  return 0;
}
