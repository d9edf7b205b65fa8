package pgtest

import "strings"

// SplitSQL cuts a script at the semicolons that end statements, which are not those in strings, quoted names, dollar quotes, comments
// or parentheses. Empty statements are dropped and comments kept. Functions with a BEGIN ATOMIC body are not understood.
func SplitSQL(script string) []string {
	var out []string
	start, depth := 0, 0
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case c == '(':
			depth++
			i++
		case c == ')':
			depth--
			i++
		case c == ';' && depth <= 0:
			out = appendStatement(out, script[start:i])
			i++
			start, depth = i, 0
		default:
			i += tokenLen(script, i)
		}
	}
	return appendStatement(out, script[start:])
}

// appendStatement adds a statement unless it consists of nothing but space and comments.
func appendStatement(out []string, stmt string) []string {
	for i := 0; i < len(stmt); {
		n := commentLen(stmt[i:])
		if n == 0 && !isSpace(stmt[i]) {
			return append(out, strings.TrimSpace(stmt))
		}
		i += max(n, 1)
	}
	return out
}

// tokenLen returns the length of the string, name, dollar quote, comment or single byte at i.
func tokenLen(s string, i int) int {
	rest := s[i:]
	if n := commentLen(rest); n > 0 {
		return n
	}
	switch rest[0] {
	case '\'':
		escapes := i > 0 && (s[i-1] == 'E' || s[i-1] == 'e') && (i < 2 || !isWord(s[i-2]))
		return quotedLen(rest, '\'', escapes)
	case '"':
		return quotedLen(rest, '"', false)
	case '$':
		if i > 0 && isWord(s[i-1]) {
			return 1
		}
		return dollarLen(rest)
	}
	return 1
}

// commentLen returns the length of the comment that s begins with, or 0. Block comments nest.
func commentLen(s string) int {
	if strings.HasPrefix(s, "--") {
		if end := strings.IndexByte(s, '\n'); end >= 0 {
			return end + 1
		}
		return len(s)
	}
	if !strings.HasPrefix(s, "/*") {
		return 0
	}
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quotedLen returns the length of a quoted string or name; a doubled quote needs no care, for it ends one and begins the next.
func quotedLen(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		if escapes && s[i] == '\\' {
			i++
		} else if s[i] == quote {
			return i + 1
		}
	}
	return len(s)
}

// dollarLen returns the length of a dollar-quoted string, or 1 where the dollar begins none.
func dollarLen(s string) int {
	end := strings.IndexByte(s[1:], '$')
	if end < 0 {
		return 1
	}
	tag := s[:end+2]
	for i := 1; i < len(tag)-1; i++ {
		if !isWord(tag[i]) || i == 1 && tag[i] >= '0' && tag[i] <= '9' {
			return 1
		}
	}
	last := strings.Index(s[len(tag):], tag)
	if last < 0 {
		return len(s)
	}
	return len(tag) + last + len(tag)
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
