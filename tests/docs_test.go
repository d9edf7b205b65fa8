package tests

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestPackagesAreDocumented wants a package comment in doc.go, or in any file of a program.
func TestPackagesAreDocumented(t *testing.T) {
	_, files := parseHouse(t)
	type state struct{ program, documented, inDoc bool }
	dirs := map[string]*state{}
	for _, f := range files {
		if f.test {
			continue
		}
		s := dirs[f.dir]
		if s == nil {
			s = &state{}
			dirs[f.dir] = s
		}
		s.program = s.program || f.tree.Name.Name == "main"
		if f.tree.Doc != nil {
			s.documented = true
			s.inDoc = s.inDoc || strings.HasSuffix("/"+f.path, "/doc.go")
		}
	}
	for dir, s := range dirs {
		switch {
		case !s.documented:
			t.Errorf("%s: no package comment", dir)
		case !s.inDoc && !s.program:
			t.Errorf("%s: the package comment belongs into doc.go", dir)
		}
	}
}

// TestExportedIsDocumented wants a comment on every exported function, method, type, constant and variable. One comment on a group of
// constants or variables, or at the end of a line, will do.
func TestExportedIsDocumented(t *testing.T) {
	fset, files := parseHouse(t)
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range f.tree.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", fset.Position(name.Pos()), name.Name)
			}
		}
	}
}

// undocumented returns the exported names of a declaration that have no comment.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || receiverExported(d.Recv)) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, s := range d.Specs {
			names = append(names, undocumentedSpec(d, s)...)
		}
		return names
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, s ast.Spec) []*ast.Ident {
	grouped := d.Doc != nil && (d.Tok != token.TYPE || len(d.Specs) == 1)
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && !grouped {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		if s.Doc != nil || s.Comment != nil || grouped {
			return nil
		}
		var names []*ast.Ident
		for _, n := range s.Names {
			if n.IsExported() {
				names = append(names, n)
			}
		}
		return names
	}
	return nil
}

// receiverExported says whether a method belongs to an exported type.
func receiverExported(recv *ast.FieldList) bool {
	x := recv.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return false
		}
	}
}
