# What a program costs at Cloudflare, in dollars a month. Put in yours, and run: python3 docs/costs.py
# Amounts are millions, or GB, of a month of 30 days. docs/costs.md explains the four ways.

# The program, in millions a day. This is the ordinary chain; a million apps have 24, 4, 10, 0, 0, 0, 0, 0, 0.045, 1 and 0.
hours = 0.005                # that apps are open
openings = 0.02              # an app is opened, or connects again
changes = 0.02               # for an app that is open
screens = 0.14               # other requests of apps
boards = 0.02                # leaderboards among them
screen_rows = 2_000          # rows that an opening's screens read
feeds = 0.02                 # feed requests
feed_rows = 8                # rows that a feed request writes
listener_share = 1           # subscriptions that write the listener's row: one in 22 of an app that is always open
customers = 0.05             # with an inbox; it is deleted a week after their last visit
database_gb = 1

# Measured: rows at D1, rows of an inbox, bytes of an inbox on disk.
quiet_rows, news_rows, subscription_rows, change_rows = 7, 31, 4, 3
inbox_subscription_rows, inbox_change_rows, inbox_frame_rows = 1, 1, 3
object_bytes = 12_288

# Assumed.
inbox_read_rows = 4          # that a call of an inbox reads
cpu_ms = 1                   # of a request
call_seconds = 0.005         # that a call keeps an inbox active
renewal_seconds = 0.05       # that a subscription keeps it active that a socket renews each hour
line_bytes = 1_500           # of a log line: one for a feed request, a listener, and one other request in 200
span_bytes = 1_000           # one request in 100 is traced: 4 spans, and 2 for each call of an inbox
queries_a_second = 1_000     # that a database answers

# Dollars a million (or GB), and what the Workers Paid plan includes, as read on 2026-11-22.
worker_request, worker_cpu, d1_read, d1_write, d1_gb = (0.3, 10), (0.02, 30), (0.001, 25_000), (1, 50), (0.75, 5)
object_call, object_second, object_read, object_write = (0.15, 1), (12.5, 0.4), (0.001, 25_000), (1, 50)
object_gb, kv_read, kv_write, log_gb, log_gb_week, metric = (0.2, 5), (0.5, 10), (5, 1), (0.25, 50), (0.1, 12), (0.25, 10)
memory_gb = 0.128            # that is billed of an object
pings_billed = 20            # messages over a socket billed as one call; a ping comes every 45 seconds

def bill(amount, price):
    return max(0, amount - price[1]) * price[0]

def costs(polls_an_hour, inbox, socket):
    polls = 30 * hours * polls_an_hour
    subscriptions = 30 * inbox * (hours + openings)
    asked_after = 30 * socket * (openings + changes)
    requests = polls + asked_after + 30 * (socket * openings + screens + feeds)
    news = 30 * changes
    quiet = (1 - inbox) * (polls - news) + inbox * (1 - socket) * subscriptions
    rows_read = news * news_rows + quiet * quiet_rows + subscriptions * subscription_rows + 30 * openings * screen_rows
    rows_written = news * inbox * change_rows + subscriptions * listener_share + 30 * feeds * feed_rows
    calls = inbox * (polls + asked_after + subscriptions + news * (1 + socket))
    pings = socket * 30 * hours * 3_600 / 45 / pings_billed
    seconds = calls * call_seconds + socket * 30 * hours * (renewal_seconds - call_seconds)
    written = subscriptions * inbox_subscription_rows + news * inbox * (inbox_change_rows + socket * inbox_frame_rows)
    lines = 30 * feeds + subscriptions * listener_share + (requests - 30 * feeds) / 200
    logs = lines * line_bytes / 1_000 + (4 * requests + 2 * calls) / 100 * span_bytes / 1_000
    dollars = {
        "the plan": 5,
        "Workers": bill(requests, worker_request) + bill(requests * cpu_ms, worker_cpu),
        "D1": bill(rows_read, d1_read) + bill(rows_written, d1_write) + bill(database_gb, d1_gb),
        "Durable Objects": bill(calls + pings, object_call) + bill(memory_gb * seconds, object_second)
            + bill(calls * inbox_read_rows, object_read) + bill(written, object_write)
            + bill(inbox * customers * object_bytes / 1_000, object_gb),
        "KV": bill(30 * boards, kv_read) + bill(30 * boards, kv_write),
        "logs and traces": bill(logs, log_gb) + bill(logs * 7 / 30, log_gb_week),
    }
    return dollars | {
        "all": sum(dollars.values()),
        "metrics, once they are billed": bill(requests + 30 * feeds, metric),
        "million apps that one database can serve":
            queries_a_second * 30 * 86_400 / 1_000_000 * customers / (news + quiet + subscriptions),
    }

for way, of in {"database": (360, 0, 0), "inboxes": (360, 1, 0), "sockets": (0, 1, 1), "sockets and polls": (60, 1, 1)}.items():
    print(way, {name: round(amount, 2) for name, amount in costs(*of).items()})
