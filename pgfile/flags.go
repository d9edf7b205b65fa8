package pgfile

import (
	"fmt"
	"strings"
)

// flagName names a bit, or a group of bits that means something together.
type flagName struct {
	mask uint32
	name string
}

// flagNames lists the names of the bits set, joined by commas, "-" for none;
// bits without a name come last, in hexadecimal. A group must come before the
// bits it is made of, and hides them.
func flagNames(v uint32, names []flagName) string {
	if v == 0 {
		return "-"
	}
	var out []string
	for _, n := range names {
		if v&n.mask == n.mask {
			out = append(out, n.name)
			v &^= n.mask
		}
	}
	if v != 0 {
		out = append(out, fmt.Sprintf("0x%x", v))
	}
	return strings.Join(out, ",")
}

// PageFlagsString names the bits of pd_flags.
func PageFlagsString(flags uint16) string {
	return flagNames(uint32(flags), []flagName{
		{PageHasFreeLines, "has-free-lines"}, {PageFull, "full"}, {PageAllVisible, "all-visible"},
	})
}

// InfomaskString names the bits of t_infomask; both xmin bits together read
// xmin-frozen, both lock bits together xmax-shr-lock.
func InfomaskString(infomask uint16) string {
	return flagNames(uint32(infomask), []flagName{
		{HeapHasNull, "has-null"},
		{HeapHasVarWidth, "has-varwidth"},
		{HeapHasExternal, "has-external"},
		{HeapHasOIDOld, "has-oid-old"},
		{HeapXmaxKeyShr | HeapXmaxExcl, "xmax-shr-lock"},
		{HeapXmaxKeyShr, "xmax-keyshr-lock"},
		{HeapComboCID, "combocid"},
		{HeapXmaxExcl, "xmax-excl-lock"},
		{HeapXmaxLockOnly, "xmax-lock-only"},
		{HeapXminFrozen, "xmin-frozen"},
		{HeapXminCommitted, "xmin-committed"},
		{HeapXminInvalid, "xmin-invalid"},
		{HeapXmaxCommitted, "xmax-committed"},
		{HeapXmaxInvalid, "xmax-invalid"},
		{HeapXmaxIsMulti, "xmax-is-multi"},
		{HeapUpdated, "updated"},
		{HeapMovedOff, "moved-off"},
		{HeapMovedIn, "moved-in"},
	})
}

// Infomask2String names the flag bits of t_infomask2; the attribute count in
// its low bits is left out.
func Infomask2String(infomask2 uint16) string {
	return flagNames(uint32(infomask2&^HeapNattsMask), []flagName{
		{HeapKeysUpdated, "keys-updated"}, {HeapHotUpdated, "hot-updated"}, {HeapOnly, "heap-only"},
	})
}

// BTreeFlagsString names the flags of an nbtree page.
func BTreeFlagsString(flags uint16) string {
	return flagNames(uint32(flags), []flagName{
		{BTreeLeaf, "leaf"},
		{BTreeRoot, "root"},
		{BTreeDeleted, "deleted"},
		{BTreeMetaPage, "meta"},
		{BTreeHalfDead, "half-dead"},
		{BTreeSplitEnd, "split-end"},
		{BTreeHasGarbage, "has-garbage"},
		{BTreeIncompleteSplit, "incomplete-split"},
		{BTreeHasFullXID, "has-fullxid"},
	})
}

// ItemStateString names a line pointer's state.
func ItemStateString(state int) string {
	switch state {
	case ItemUnused:
		return "unused"
	case ItemNormal:
		return "normal"
	case ItemRedirect:
		return "redirect"
	case ItemDead:
		return "dead"
	}
	return fmt.Sprintf("state %d", state)
}
