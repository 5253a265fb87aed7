package overton_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the house of docs/architecture.md: a package may import those of
// ours that stand on a lower floor, and none beside or above it, but for rooms
// that are listed before it in rooms. A folder inside one of these belongs to
// the innermost.
var floors = map[string]int{
	"migrations":          0,
	"static":              0,
	"internal/study":      0,
	"internal/instrument": 0,
	"internal/cluster":    0,
	"internal/score":      0,
	"internal/password":   0,

	"internal/dataset":           1,
	"internal/dataset/survey":    1,
	"internal/dataset/studyfile": 1,
	"internal/dataset/votes":     1,
	"internal/dataset/export":    1,
	"internal/store":             1,
	"internal/llm":               1,
	"internal/figure":            1,

	"internal/window": 2,
	"internal/sim":    2,

	"templates": 3,
	"web":       4,
	"cmd":       5,
	"bench":     5,
}

// rooms stand on one floor, and each may import those before it.
var rooms = []string{
	"internal/dataset",
	"internal/dataset/survey",
	"internal/dataset/studyfile",
	"internal/dataset/votes",
	"internal/dataset/export",
}

// confined says where an import may appear, and why not elsewhere. A key that
// ends in / stands for everything below it.
var confined = map[string]struct {
	to     []string
	reason string
}{
	"database/sql":             {[]string{"internal/store"}, "the store is the one package that speaks SQL"},
	"modernc.org/":             {[]string{"internal/store"}, "the store is the one package that speaks SQL"},
	"github.com/labstack/":     {[]string{"web", "cmd/server"}, "echo stays where a move to its next version is a day's work"},
	"github.com/gorilla/":      {[]string{"web", "cmd/server"}, "sessions belong to the pages"},
	"math/rand":                {nil, "randomness is math/rand/v2 with an explicit seed"},
	"github.com/sashabaranov/": {[]string{"internal/llm"}, "the client hides behind our own interface"},
}

// thirdParty lists the foreign modules of the packages that may use only these.
var thirdParty = map[string][]string{
	"internal/study":      nil,
	"internal/instrument": nil,
	"internal/cluster":    {"gonum.org/"},
	"internal/score":      {"gonum.org/"},
}

// effects are what the functional core must be handed instead of importing.
var effects = []string{"os", "net", "net/http", "log", "log/slog", "crypto/rand"}

func TestNothingImportsUpward(t *testing.T) {
	for _, p := range packages(t) {
		home, ok := homeOf(p.dir)
		if !ok {
			t.Errorf("%s has no place in the house: give it one in docs/architecture.md and in this test", p.dir)
			continue
		}
		for _, imp := range p.imports {
			target, ours := strings.CutPrefix(imp.path, "overton/")
			if !ours || imp.test {
				continue
			}
			below, _ := homeOf(target)
			if at := slices.Index(rooms, below); at >= 0 && at < slices.Index(rooms, home) {
				continue
			}
			if below != home && floors[below] >= floors[home] {
				t.Errorf("%s: %s imports %s, which does not stand below it", imp.at, p.dir, target)
			}
		}
	}
}

func TestForeignPackagesStayInTheirPlace(t *testing.T) {
	for _, p := range packages(t) {
		home, _ := homeOf(p.dir)
		for _, imp := range p.imports {
			for name, rule := range confined {
				if imp.path != name && !(strings.HasSuffix(name, "/") && strings.HasPrefix(imp.path, name)) {
					continue
				}
				if !slices.ContainsFunc(rule.to, func(dir string) bool { return within(p.dir, dir) }) {
					t.Errorf("%s: %s imports %s, but %s", imp.at, p.dir, imp.path, rule.reason)
				}
			}
			allowed, strict := thirdParty[home]
			if !strict || imp.test {
				continue
			}
			foreign := strings.Contains(strings.Split(imp.path, "/")[0], ".")
			if foreign && !slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(imp.path, prefix) }) {
				t.Errorf("%s: %s imports %s; it may use only the standard library and %v", imp.at, p.dir, imp.path, allowed)
			}
			if slices.Contains(effects, imp.path) {
				t.Errorf("%s: %s imports %s; its decisions are pure, so the caller hands such things in", imp.at, p.dir, imp.path)
			}
		}
	}
}

func TestNoPackageIsADrawer(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "helper", "models", "misc", "shared"}, p.name) {
			t.Errorf("%s is called %s: a function lives with the idea that it serves", p.dir, p.name)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		want := "Package " + p.name + " "
		if p.name == "main" {
			want = "Command " + path.Base(p.dir) + " "
		}
		if !strings.HasPrefix(p.doc, want) {
			t.Errorf("%s has no comment that begins %q", p.dir, want)
		}
	}
}

func TestEveryDependencyIsExplained(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	explained, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		direct := len(fields) >= 2 && strings.HasPrefix(fields[1], "v") && !strings.HasSuffix(strings.TrimSpace(line), "// indirect")
		if direct && !strings.Contains(string(explained), "`"+fields[0]+"`") {
			t.Errorf("docs/dependencies.md does not say why %s is needed", fields[0])
		}
	}
}

// goPackage is one folder of Go files.
type goPackage struct {
	dir     string // from the project's root, with slashes
	name    string
	doc     string
	imports []goImport
}

type goImport struct {
	path string
	at   token.Position
	test bool // in a _test.go file
}

// packages parses the heads of all Go files of the module. Folders that hold
// only tests are left out.
func packages(t *testing.T) []goPackage {
	t.Helper()
	byDir := map[string]*goPackage{}
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "testdata", "tmp", "tools"}, d.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(files, file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		if byDir[dir] == nil {
			byDir[dir] = &goPackage{dir: dir}
		}
		return byDir[dir].add(parsed, files, strings.HasSuffix(file, "_test.go"))
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for _, p := range byDir {
		if p.name != "" {
			all = append(all, *p)
		}
	}
	if len(all) == 0 {
		t.Fatal("found no package")
	}
	slices.SortFunc(all, func(a, b goPackage) int { return strings.Compare(a.dir, b.dir) })
	return all
}

func (p *goPackage) add(file *ast.File, files *token.FileSet, test bool) error {
	if !test {
		p.name = file.Name.Name
		if doc := file.Doc.Text(); strings.HasPrefix(doc, "Package ") || strings.HasPrefix(doc, "Command ") {
			p.doc = doc
		}
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: import %s: %w", files.Position(spec.Pos()), spec.Path.Value, err)
		}
		p.imports = append(p.imports, goImport{path: name, at: files.Position(spec.Pos()), test: test})
	}
	return nil
}

// homeOf returns the innermost entry of floors that a folder belongs to.
func homeOf(dir string) (string, bool) {
	innermost := ""
	for home := range floors {
		if within(dir, home) && len(home) > len(innermost) {
			innermost = home
		}
	}
	return innermost, innermost != ""
}

func within(dir, home string) bool {
	return dir == home || strings.HasPrefix(dir, home+"/")
}
