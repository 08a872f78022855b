"""Sends a file of JSON lines to the feed: LOYALTY_EDGE_TOKEN=… python3 feed.py https://loyalty.example FILE"""
import http.client, json, os, re, sys, time, urllib.error, urllib.request

# A line may name records of earlier lines: kinds that others name come first. Deletes come last, the other way round.
KINDS = ("account store campaign customer membership registration friendship block coupon customer_coupon employee"
         " eip_campaign message_group message_state balance_entry redemption token_earning play message").split()
MOST_LINES, MOST_BYTES, MOST_IDS, TRIES = 2_000, 2 * 1024 * 1024, 20_000, 10
BUSY = (0, 408, 429, 502, 503, 504)  # 0: no answer came

def read(name):  # (whether it deletes, rank, number, bytes, ids in lists) of each line
    with open(name, "rb") as file:
        for number, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                record = json.loads(text)
                rank, deletes = KINDS.index(record["record"]), record.get("deleted") is True
                ids = len(record.get("store_ids") or []) + len(record.get("member_ids") or [])
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"line {number}: {error}. Nothing was sent.")
            yield (deletes, -rank if deletes else rank, number, text.strip(), ids)

def batches(lines):
    batch, size, ids = [], 0, 0
    for line in lines:
        size, ids = size + len(line[3]) + 1, ids + line[4]
        if batch and (len(batch) == MOST_LINES or size > MOST_BYTES or ids > MOST_IDS or line[0] != batch[0][0]):
            yield batch
            batch, size, ids = [], len(line[3]) + 1, line[4]
        batch.append(line)
    if batch:
        yield batch

def post(url, body):  # (status, seconds to wait, answer)
    headers = {"Authorization": f"Bearer {os.environ['LOYALTY_EDGE_TOKEN']}", "User-Agent": "feed.py"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=150) as response:
            return response.status, 0, json.load(response)
    except urllib.error.HTTPError as error:
        text, wait = error.read().decode(errors="replace"), error.headers.get("Retry-After", "")
        answer = json.loads(text) if text.startswith("{") else {"message": text}
        return error.code, int(wait) if wait.isdigit() else 0, answer
    except (OSError, http.client.HTTPException) as error:
        return 0, 0, {"message": str(error)}

def send(url, batch, done):  # done: how many lines are committed. Sending a line again is safe: it counts once.
    for attempt in range(1, TRIES + 1):
        status, wait, answer = post(url, b"\n".join(line[3] for line in batch))
        if status == 200:
            return done + len(batch)
        if status == 413 and len(batch) > 1:
            half = len(batch) // 2
            return send(url, batch[half:], send(url, batch[:half], done))
        is_busy = status in BUSY or status == 413 and wait > 0
        if not is_busy or wait > 300 or attempt == TRIES:
            faults = answer.get("messages") or {str(status): [str(answer.get("message"))]}
            texts = [f"{in_file(field, batch)}: {'; '.join(reasons)}" for field, reasons in faults.items()]
            sys.exit("\n".join(texts) + f"\n{done:,} lines are committed. Put this right, and send the file again.")
        time.sleep(max(wait, min(30, 0.5 * 2 ** attempt)))

def in_file(field, batch):  # "line 7.id" of a request, with the number that the line has in the file
    return re.sub(r"^line (\d+)", lambda found: f"line {batch[int(found[1]) - 1][2]}", field)

committed = 0
for batch in batches(sorted(read(sys.argv[2]))):
    committed = send(sys.argv[1] + "/api/v1/feed", batch, committed)
print(committed, "lines committed")
