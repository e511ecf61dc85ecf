-- The outbox of examples/outbox_poller.py, in Rollcall's database.

CREATE TABLE outbox_shard (shard int PRIMARY KEY, next bigint NOT NULL DEFAULT 0);
INSERT INTO outbox_shard SELECT generate_series(0, 5);

CREATE TABLE outbox (
    shard   int NOT NULL REFERENCES outbox_shard,
    number  bigint NOT NULL,
    payload jsonb NOT NULL,
    PRIMARY KEY (shard, number)
);

-- Numbers without gaps, in the order of commits: writers of one shard wait for each other. With a
-- sequence a number could become visible after a greater one, and a poller would have passed it.
CREATE FUNCTION outbox_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_shard SET next = next + 1 WHERE shard = NEW.shard RETURNING next - 1 INTO NEW.number;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_number BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_number();

CREATE TABLE invoice (shard int NOT NULL, number bigint NOT NULL, payload jsonb NOT NULL);

GRANT SELECT ON outbox TO rollcall_application;
GRANT SELECT, INSERT ON invoice TO rollcall_application;
