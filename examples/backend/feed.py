"""Sends a file of one JSON object a line to the feed: LOYALTY_EDGE_TOKEN=… python3 feed.py https://loyalty.example FILE"""
import http.client, json, os, re, sys, time, urllib.error, urllib.request

# A line may name records of earlier lines, so kinds that others name come first. Deletes come last, the other way round.
KINDS = ("account store campaign customer membership registration friendship block coupon customer_coupon employee"
         " eip_campaign message_group message_state balance_entry redemption token_earning play message").split()
MOST_LINES, MOST_BYTES, MOST_IDS, TRIES = 2_000, 2 * 1024 * 1024, 20_000, 10
BUSY = (408, 429, 502, 503, 504)

def read(name):  # (rank, number, bytes, ids in lists) of each line
    with open(name, "rb") as file:
        for number, text in enumerate(file, 1):
            text = text.strip()
            if not text:
                continue
            try:
                record = json.loads(text)
                rank = KINDS.index(record["record"])
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"line {number}: {error}. Nothing was sent.")
            ids = sum(len(record[field]) for field in ("store_ids", "member_ids") if isinstance(record.get(field), list))
            yield (2 * len(KINDS) - rank if record.get("deleted") else rank, number, text, ids)

def batches(lines):
    batch, size, ids, deletes = [], 0, 0, False
    for line in lines:
        more, is_delete = len(line[2]) + 1, line[0] > len(KINDS)
        if batch and (len(batch) == MOST_LINES or size + more > MOST_BYTES or ids + line[3] > MOST_IDS or is_delete != deletes):
            yield batch
            batch, size, ids = [], 0, 0
        batch, size, ids, deletes = batch + [line], size + more, ids + line[3], is_delete
    if batch:
        yield batch

def post(url, body):  # (status, seconds to wait, answer); 0: no answer
    headers = {"Authorization": f"Bearer {os.environ['LOYALTY_EDGE_TOKEN']}", "User-Agent": "feed.py"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=150) as response:
            return response.status, 0, json.load(response)
    except urllib.error.HTTPError as error:
        text, wait = error.read().decode(errors="replace"), error.headers.get("Retry-After", "")
        return error.code, int(wait) if wait.isdigit() else 0, json.loads(text) if text.startswith("{") else {"message": text}
    except (OSError, http.client.HTTPException) as error:
        return 0, 0, {"message": str(error)}

def send(url, batch, done):  # done: how many lines are committed. Sending a line again is safe: it counts once.
    for attempt in range(1, TRIES + 1):
        status, wait, answer = post(url, b"\n".join(line[2] for line in batch))
        if status == 413 and len(batch) > 1:
            half = len(batch) // 2
            return send(url, batch[half:], send(url, batch[:half], done))
        if status not in (0, *BUSY) and not (status == 413 and wait) or attempt == TRIES or wait > 300:
            break
        time.sleep(max(wait, min(30, 0.5 * 2 ** attempt)))
    if status == 200:
        return done + len(batch)
    in_file = lambda name: re.sub(r"^line (\d+)", lambda found: f"line {batch[int(found[1]) - 1][1]}", name)
    faults = [f"{in_file(field)}: {'; '.join(texts)}" for field, texts in answer.get("messages", {}).items()]
    sys.exit("\n".join(faults or [f"{status}: {answer.get('message')}"]) + f"\n{done:,} lines are committed. Put this right, and send the file again.")

if __name__ == "__main__":
    lines = sorted(read(sys.argv[2]), key=lambda line: line[:2])
    committed = 0
    for batch in batches(lines):
        committed = send(sys.argv[1] + "/api/v1/feed", batch, committed)
    print(committed, "lines committed")
