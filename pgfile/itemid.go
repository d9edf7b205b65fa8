package pgfile

// ItemID is a line pointer.
//
//	bit 31                17 16 15 14                 0
//	+----------------------+-----+--------------------+
//	| lp_len (15)          |flag | lp_off (15)        |
//	+----------------------+-----+--------------------+
type ItemID uint32

// States of a line pointer.
const (
	ItemUnused   = 0
	ItemNormal   = 1
	ItemRedirect = 2 // lp_off is the offset number it points to
	ItemDead     = 3
)

// Off is the byte offset of the tuple, or the target of a redirect.
func (i ItemID) Off() int { return int(i & 0x7fff) }

// State is one of ItemUnused, ItemNormal, ItemRedirect, ItemDead.
func (i ItemID) State() int { return int(i>>15) & 3 }

// Len is the tuple's length in bytes.
func (i ItemID) Len() int { return int(i >> 17) }
