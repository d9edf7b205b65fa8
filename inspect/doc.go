// Package inspect prints what lies in a page or in a control file, for people:
// header, line pointers and tuples of a heap page, items of an nbtree page, bits
// of a visibility map page. It decides nothing about visibility; damage is
// printed where it is found, and the rest goes on.
//
//	block 3: lsn 0/1A2B3C8 checksum 0 flags all-visible lower 120 upper 7424 ...
//	  item 1: normal off 8152 len 36 xmin 735 xmax 0 ctid (3,1) natts 2 hoff 24 ...
package inspect
