"""A Kafka wire codec and blocking client driven by schemas.json: independent of any implementation under test."""
from __future__ import annotations
import json, pathlib, socket, struct, uuid, itertools

SCHEMAS = json.loads((pathlib.Path(__file__).resolve().with_name("schemas.json")).read_text())
PRIM = {"int8": ">b", "int16": ">h", "int32": ">i", "int64": ">q", "uint16": ">H", "uint32": ">I", "float64": ">d"}


def within(spec, v):
    if spec in (None, "none"):
        return False
    if spec.endswith("+"):
        return v >= int(spec[:-1])
    lo, _, hi = spec.partition("-")
    return int(lo) <= v <= int(hi or lo)


class Writer:
    def __init__(self): self.b = bytearray()
    def prim(self, t, x): self.b += struct.pack(PRIM[t], x)
    def uvarint(self, n):
        while n >= 0x80:
            self.b.append(n & 0x7F | 0x80); n >>= 7
        self.b.append(n)


class Reader:
    def __init__(self, b): self.b, self.i = memoryview(b), 0
    def take(self, n):
        if n < 0 or self.i + n > len(self.b): raise EOFError(f"need {n} at {self.i} of {len(self.b)}")
        out = self.b[self.i:self.i + n]; self.i += n
        return out
    def prim(self, t):
        f = PRIM[t]; return struct.unpack(f, self.take(struct.calcsize(f)))[0]
    def uvarint(self):
        n = s = 0
        while True:
            c = self.take(1)[0]; n |= (c & 0x7F) << s; s += 7
            if not c & 0x80: return n


class Msg:
    def __init__(self, schema, version):
        self.s, self.v = schema, version
        self.flex = within(schema["flex"], version)
        self.structs = schema.get("structs", {})

    def fields(self, f): return f.get("f") or self.structs.get(f["t"].lstrip("[]"), [])

    # -- defaults
    def default(self, f):
        t = f["t"]
        if "d" in f:
            d = f["d"]
            if d in ("null", None): return None
            if t == "bool": return str(d).lower() == "true"
            if t in PRIM: return int(str(d), 0) if t != "float64" else float(d)
            return d
        if t.startswith("[]"): return []
        if t == "bool": return False
        if t in PRIM: return 0
        if t == "string": return ""
        if t == "bytes": return b""
        if t == "records": return None
        if t == "uuid": return uuid.UUID(int=0)
        return {}

    # -- writing
    def write(self, w, fields, obj):
        obj = dict(obj); tags = []
        known = {f["n"] for f in fields}
        if set(obj) - known: raise KeyError(f"unknown fields {set(obj) - known}; known {known}")
        for f in fields:
            if not within(f["v"], self.v): continue
            val = obj.get(f["n"], self.default(f))
            if within(f.get("tagv"), self.v):
                if f["n"] in obj: tags.append((f["tag"], f, val))
                continue
            self.put(w, f, f["t"], val)
        if self.flex:
            w.uvarint(len(tags))
            for tag, f, val in sorted(tags, key=lambda x: x[0]):
                sub = Writer(); self.put(sub, f, f["t"], val)
                w.uvarint(tag); w.uvarint(len(sub.b)); w.b += sub.b

    def length(self, w, n, kind):
        if self.flex: w.uvarint(0 if n is None else n + 1)
        else: w.prim("int16" if kind == "string" else "int32", -1 if n is None else n)

    def put(self, w, f, t, val):
        if t.startswith("[]"):
            self.length(w, None if val is None else len(val), "array")
            for x in val or (): self.put(w, f, t[2:], x)
        elif t in PRIM: w.prim(t, val)
        elif t == "bool": w.b.append(1 if val else 0)
        elif t == "uuid": w.b += (val if isinstance(val, uuid.UUID) else uuid.UUID(str(val))).bytes
        elif t in ("string", "bytes", "records"):
            raw = val.encode() if isinstance(val, str) else val
            self.length(w, None if raw is None else len(raw), t); w.b += raw or b""
        else:
            if within(f.get("null"), self.v) and not f["t"].startswith("[]"):
                w.prim("int8", -1 if val is None else 1)
                if val is None: return
            self.write(w, self.fields(f), val)

    # -- reading
    def read(self, r, fields):
        out = {}
        for f in fields:
            if not within(f["v"], self.v) or within(f.get("tagv"), self.v): continue
            out[f["n"]] = self.get(r, f, f["t"])
        if self.flex:
            for _ in range(r.uvarint()):
                tag, size = r.uvarint(), r.uvarint(); sub = Reader(r.take(size))
                for f in fields:
                    if f.get("tag") == tag and within(f.get("tagv"), self.v): out[f["n"]] = self.get(sub, f, f["t"])
        return out

    def get_length(self, r, kind):
        if self.flex:
            n = r.uvarint(); return None if n == 0 else n - 1
        n = r.prim("int16" if kind == "string" else "int32"); return None if n < 0 else n

    def get(self, r, f, t):
        if t.startswith("[]"):
            n = self.get_length(r, "array")
            return None if n is None else [self.get(r, f, t[2:]) for _ in range(n)]
        if t in PRIM: return r.prim(t)
        if t == "bool": return bool(r.take(1)[0])
        if t == "uuid": return uuid.UUID(bytes=bytes(r.take(16)))
        if t in ("string", "bytes", "records"):
            n = self.get_length(r, t)
            if n is None: return None
            raw = bytes(r.take(n)); return raw.decode() if t == "string" else raw
        if within(f.get("null"), self.v) and not f["t"].startswith("[]") and r.prim("int8") < 0: return None
        return self.read(r, self.fields(f))


def encode(api, kind, version, obj):
    m = Msg(SCHEMAS[api][kind], version); w = Writer(); m.write(w, SCHEMAS[api][kind]["f"], obj); return bytes(w.b)


def decode(api, kind, version, raw):
    m = Msg(SCHEMAS[api][kind], version); r = Reader(raw); out = m.read(r, SCHEMAS[api][kind]["f"])
    if r.i != len(r.b): raise ValueError(f"{api} v{version}: {len(r.b) - r.i} bytes left over")
    return out


def request_frame(api, version, body, correlation_id, client_id="conformance"):
    key = SCHEMAS[api]["request"]["key"]; flex = within(SCHEMAS[api]["request"]["flex"], version)
    cid = client_id.encode()
    head = struct.pack(">hhih", key, version, correlation_id, len(cid)) + cid + (b"\0" if flex else b"")
    payload = head + encode(api, "request", version, body)
    return struct.pack(">i", len(payload)) + payload


class Conn:
    """One connection; call() sends one request and waits for its answer, send()/recv() split the two."""
    def __init__(self, host="127.0.0.1", port=9092, timeout=15, client_id="conformance"):
        self.s = socket.create_connection((host, port), timeout); self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ids, self.client_id, self.pending = itertools.count(1), client_id, {}

    def send(self, api, version, **body):
        cid = next(self.ids); self.s.sendall(request_frame(api, version, body, cid, self.client_id)); self.pending[cid] = (api, version); return cid

    def _exact(self, n):
        out = b""
        while len(out) < n:
            got = self.s.recv(n - len(out))
            if not got: raise ConnectionError("closed by server")
            out += got
        return out

    def recv(self, timeout=None):
        if timeout is not None: self.s.settimeout(timeout)
        raw = self._exact(struct.unpack(">i", self._exact(4))[0]); cid = struct.unpack(">i", raw[:4])[0]
        api, version = self.pending.pop(cid)
        off = 4
        if within(SCHEMAS[api]["response"]["flex"], version) and api != "ApiVersions": off = 5
        return decode(api, "response", version, raw[off:])

    def call(self, api, version, timeout=None, **body):
        self.send(api, version, **body); return self.recv(timeout)

    def close(self): self.s.close()


def subscription(topics, version=1, owned=(), generation=-1, rack=None, user_data=None):
    body = {"topics": list(topics), "user_data": user_data}
    if version >= 1: body["owned_partitions"] = [{"topic": t, "partitions": p} for t, p in owned]
    if version >= 2: body["generation_id"] = generation
    if version >= 3: body["rack_id"] = rack
    return struct.pack(">h", version) + encode("ConsumerProtocolSubscription", "data", version, body)


def assignment(parts, version=1):
    return struct.pack(">h", version) + encode("ConsumerProtocolAssignment", "data", version,
        {"assigned_partitions": [{"topic": t, "partitions": p} for t, p in parts], "user_data": None})


def parse_assignment(raw):
    v = struct.unpack(">h", raw[:2])[0]
    return {a["topic"]: a["partitions"] for a in decode("ConsumerProtocolAssignment", "data", min(v, 3), raw[2:])["assigned_partitions"]}


ERR = dict(NONE=0, OFFSET_OUT_OF_RANGE=1, UNKNOWN_TOPIC_OR_PARTITION=3, COORDINATOR_LOAD_IN_PROGRESS=14, COORDINATOR_NOT_AVAILABLE=15,
    NOT_COORDINATOR=16, INVALID_TOPIC=17, ILLEGAL_GENERATION=22, INCONSISTENT_GROUP_PROTOCOL=23, INVALID_GROUP_ID=24, UNKNOWN_MEMBER_ID=25,
    INVALID_SESSION_TIMEOUT=26, REBALANCE_IN_PROGRESS=27, TOPIC_AUTHORIZATION_FAILED=29, GROUP_AUTHORIZATION_FAILED=30, UNSUPPORTED_VERSION=35,
    INVALID_REQUEST=42, OFFSET_METADATA_TOO_LARGE=12, NON_EMPTY_GROUP=68, GROUP_ID_NOT_FOUND=69, MEMBER_ID_REQUIRED=79, GROUP_MAX_SIZE_REACHED=81,
    FENCED_INSTANCE_ID=82, GROUP_SUBSCRIBED_TO_TOPIC=86, UNKNOWN_TOPIC_ID=100, FENCED_MEMBER_EPOCH=110, UNRELEASED_INSTANCE_ID=111,
    UNSUPPORTED_ASSIGNOR=112, STALE_MEMBER_EPOCH=113, INVALID_REGULAR_EXPRESSION=128, SASL_AUTHENTICATION_FAILED=58)
ERR_NAME = {v: k for k, v in ERR.items()}
