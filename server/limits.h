/* Every limit of the protocol, with its reason. What an operator may change is in server.h. */
#ifndef SERVER_LIMITS_H
#define SERVER_LIMITS_H

/* Bytes of a request's target. Browsers and proxies cut near 8 KiB, and the longest query that our
 * parameters allow is shorter. */
#define HTTP_TARGET_BYTES 8192

/* Bytes of all header lines. Cookies of other sites on the same host are the longest that come. */
#define HTTP_HEADER_BYTES 16384

/* Header lines; a browser sends about 20. */
#define HTTP_HEADER_LINES 100

/* Memory of one connection, for request head and reply head together. It holds a target and a head
 * at their limits with room for the reply's; the library itself refuses what does not fit. */
#define HTTP_CONNECTION_BYTES 49152

/* Memory for the parts of one request. Header lines of one name, all that there may be, take half
 * of their bytes times their number while they are joined; the parts of a target, which may be as
 * many as it has bytes, take 16 bytes each. Ordinary requests take 2 kB. */
#define HTTP_REQUEST_BYTES (1024 * 1024)

/* Segments of a path; the longest template has five. */
#define HTTP_SEGMENTS 8

/* Query parameters of one request. More than the filterable fields have names, each with a minimum
 * and a maximum, makes no sense. */
#define HTTP_PARAMS 100

/* Values of one list parameter; more would make one statement too long for its cache. */
#define HTTP_LIST_VALUES 100

/* Bytes that the cache knows a request by. Longer ones, which nobody links to, are answered anew.
 */
#define HTTP_KEY_BYTES 2048

/* Bytes of one reply's body. A page of 1000 recipes with every field has about 10 MB. */
#define HTTP_BODY_BYTES ((size_t)32 * 1024 * 1024)

/* Bytes of an error's body: all mistakes of a query at once, each with the names that would do. */
#define HTTP_PROBLEM_BYTES ((size_t)1024 * 1024)

/* Bytes of a request's body beyond the endpoint's limit that are read and thrown away, so that the
 * client, which may write all before it reads, sees why it was refused. */
#define HTTP_DRAIN_BYTES (1024 * 1024)

/* The same of a body whose length is not told before: the library takes an answer only before or
 * after a body, so that one under way is read on, within the time of a request. */
#define HTTP_DRAIN_CHUNKED_BYTES (64 * 1024 * 1024)

/* Bodies up to this many bytes are not compressed: they fit into one packet either way. */
#define HTTP_GZIP_BYTES 1024

/* Bytes of a client's X-Request-Id. */
#define HTTP_ID_BYTES 64

/* Seconds from a request's last byte to its reply's last one. A page of 32 MB passes at 0.5 Mbit/s,
 * and a client that reads a byte now and then does not keep its place for ever. */
#define HTTP_REPLY_SECONDS 600

/* Seconds that requests under way may take when the server stops. */
#define HTTP_STOP_SECONDS 2

#endif
