#!/bin/bash
# Makes the golden archive of one major version from a real server.
#
#   make.sh MAJOR BINDIR OUTFILE
#
# BINDIR holds that version's initdb, pg_ctl and postgres; psql comes from PATH.
# Run it as a user that is not root. Files ending in .txt are the server's own
# answers about the other files of the archive; with version 15 they include
# pageinspect's, which must then be installed.
set -eu
major=$1 bin=$2 outfile=$(realpath "$3")
work=$(mktemp -d) data=$work/data out=$work/out
mkdir -p "$out/twophase"
trap '"$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

checksums=; [ "$major" -le 17 ] && checksums=--data-checksums
"$bin/initdb" -D "$data" -U postgres --no-locale -E UTF8 -A trust $checksums >/dev/null
cat >> "$data/postgresql.conf" <<C
listen_addresses = ''
unix_socket_directories = '$work'
max_prepared_transactions = 5
autovacuum = off
fsync = off
C
start() { "$bin/pg_ctl" -D "$data" -w -l "$work/log" start >/dev/null; }
stop() { "$bin/pg_ctl" -D "$data" -w -m fast stop >/dev/null; }
q() { psql -qXAt -F ' ' -v ON_ERROR_STOP=1 -h "$work" -U postgres -d postgres "$@"; }

start
q >/dev/null <<S
create table heap1 (id int, b bool, s smallint, big bigint, t text, f8 float8, n numeric, c char(5), nm name, j int);
insert into heap1 select i, i%2=0, i, i*1000000007::bigint, repeat('x', i*3), i/7.0, i*1.25, 'c'||i, 'name'||i, i*i from generate_series(1,40) i;
insert into heap1 values (null,null,null,null,null,null,null,null,null,null), (1,null,3,null,'',null,1,null,'n',7), (null,true,null,9,null,1.5,null,'abc',null,null);
alter table heap1 drop column b;
alter table heap1 add column late int default 42;
alter table heap1 add column late2 text;
insert into heap1 (id, t, late, late2) values (100, 'after', 1, 'x');
update heap1 set s = s + 1 where id = 5;
delete from heap1 where id = 6;
create table heap2 (id int primary key, v text);
insert into heap2 select i, 'v' || i from generate_series(1, 2000) i;
create index heap2_dup on heap2 ((id % 3));
delete from heap2 where id % 10 = 0;
vacuum freeze heap2;
create sequence sq; select nextval('sq'), nextval('sq');
create table mx (a int primary key); insert into mx values (1),(2);
create table tc (a text, b text);
alter table tc alter b set storage external;
insert into tc values (repeat('abc', 1500), repeat('abcdefghij', 500)), (repeat('abcdef', 20000), repeat('0123456789', 700)), ('short', '');
vacuum full pg_class;
S
# A prepared transaction with two surviving children and an aborted one.
q -c "begin; savepoint a; insert into mx values (10); savepoint b; insert into mx values (11); release b; savepoint c; insert into mx values (12); rollback to c; prepare transaction 'gid one'"
# Multixacts: a prepared locker, joined by an updater and by lockers.
q -c "begin; select * from mx where a=1 for key share; prepare transaction 'locker'" >/dev/null
q -c "begin; update mx set a=a where a=1; select * from mx where a=1 for no key update; rollback" >/dev/null
q -c "begin; select * from mx where a=1 for share; rollback" >/dev/null
q -c "begin; select * from mx where a=1 for key share; commit" >/dev/null
q -c "checkpoint"

q -c "select g, m.xid, m.mode from generate_series(1,4) g, lateral pg_get_multixact_members(g::text::xid) m" > "$out/multixact.txt"
q -c "select transaction, (extract(epoch from prepared)*1000000)::bigint, gid from pg_prepared_xacts order by gid" > "$out/prepared.txt"
q -c "select ctid from heap1" > "$out/heap1_visible.txt"
q -c "select ctid, id from heap2" > "$out/heap2_rows.txt"
q -c "select g, pg_xact_status(g::text::xid8) from generate_series(1, pg_snapshot_xmax(pg_current_snapshot())::text::int - 1) g where pg_xact_status(g::text::xid8) is not null" > "$out/xacts.txt"
q -c "select oid, pg_relation_filenode(oid) from pg_class where relfilenode=0 and relkind in ('r','i','t') and pg_relation_filenode(oid) is not null order by oid" > "$out/mapped.txt"
for r in heap1 heap2 heap2_pkey heap2_dup sq mx tc; do echo "$r $(q -c "select pg_relation_filepath('$r')")"; done > "$out/paths.txt"
if [ "$major" = 15 ]; then
    q -c "create extension pageinspect"
    q -c "select lp, lp_off, lp_flags, lp_len, t_ctid, t_infomask, t_infomask2, t_hoff, array_to_string(array(select coalesce(encode(x,'hex'),'NULL') from unnest(t_attrs) x),',') from heap_page_item_attrs(get_raw_page('heap1',0),'heap1')" > "$out/heap1_attrs.txt"
    q -F '|' -c "select itemoffset, ctid, itemlen, nulls, vars, replace(coalesce(data,''),' ',''), dead, htid, coalesce(array_length(tids,1),0), coalesce(tids[2]::text,'') from bt_page_items('heap2_dup', 1)" > "$out/heap2_dup_items.txt"
    q -c "select version, root, level, fastroot, fastlevel, allequalimage from bt_metap('heap2_dup')" > "$out/heap2_dup_meta.txt"
    q -c "select lsn, checksum, flags, lower, upper, special, pagesize, version, prune_xid from page_header(get_raw_page('heap1',0))" > "$out/heap1_header.txt"
    q -c "select fsm_page_contents(get_raw_page('heap2','fsm',2))" > "$out/heap2_fsm.txt"
fi
stop

cp "$data/PG_VERSION" "$data/global/pg_control" "$out/"
cp "$data/global/pg_filenode.map" "$out/global_relmap"
cp "$data"/pg_twophase/* "$out/twophase/"
cp "$data/pg_xact/0000" "$out/xact"
cp "$data/pg_multixact/offsets/0000" "$out/mxoff"
cp "$data/pg_multixact/members/0000" "$out/mxmem"
while read -r r p; do
    for f in "" _vm _fsm; do [ -e "$data/$p$f" ] && cp "$data/$p$f" "$out/$r$f"; done
    cp "$data/$(dirname "$p")/pg_filenode.map" "$out/base_relmap"
done < "$out/paths.txt"
(cd "$data" && find base global -type f | sort) > "$out/filelist.txt"

# What the server itself reads from pg_control, once it is up again.
start
q > "$out/control.txt" <<S
select 'system_identifier', system_identifier from pg_control_system();
select 'control_version', pg_control_version from pg_control_system();
select 'catalog_version', catalog_version_no from pg_control_system();
select 'data_checksums', data_page_checksum_version from pg_control_init();
select 'block_size', database_block_size from pg_control_init();
select 'segment_blocks', blocks_per_segment from pg_control_init();
select 'max_align', max_data_alignment from pg_control_init();
select 'toast_chunk', max_toast_chunk_size from pg_control_init();
select 'checkpoint', checkpoint_lsn from pg_control_checkpoint();
select 'redo', redo_lsn from pg_control_checkpoint();
select 'timeline', timeline_id from pg_control_checkpoint();
select 'next_xid', next_xid from pg_control_checkpoint();
select 'next_oid', next_oid from pg_control_checkpoint();
select 'next_multi', next_multixact_id from pg_control_checkpoint();
select 'next_multi_offset', next_multi_offset from pg_control_checkpoint();
select 'oldest_xid', oldest_xid from pg_control_checkpoint();
select 'oldest_multi', oldest_multi_xid from pg_control_checkpoint();
select 'checkpoint_time', extract(epoch from checkpoint_time)::bigint from pg_control_checkpoint();
S
stop
tar -C "$out" --owner=0 --group=0 --numeric-owner --mtime=@0 --sort=name -cf - . | gzip -9n > "$outfile"
