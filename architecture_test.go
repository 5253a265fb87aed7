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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the house of docs/architecture.md: a package may import those of
// ours that stand on a lower floor, and none beside or above it, except rooms.
// A folder inside one of these belongs to it.
var floors = map[string]int{
	"migrations":          0,
	"static":              0,
	"internal/study":      0,
	"internal/instrument": 0,
	"internal/cluster":    0,
	"internal/score":      0,
	"internal/password":   0,

	"internal/dataset": 1,
	"internal/store":   1,
	"internal/llm":     1,
	"internal/figure":  1,

	"internal/jobs":   2,
	"internal/window": 2,
	"internal/sim":    2,

	"templates": 3,
	"web":       4,
	"cmd":       5,
	"bench":     5,
}

// rooms are the packages inside one of floors, in their order: a room may
// import those of the same house that have a lower number, and none beside it.
var rooms = map[string]int{
	"internal/dataset":           0,
	"internal/dataset/survey":    1,
	"internal/dataset/studyfile": 2,
	"internal/dataset/votes":     3,
	"internal/dataset/export":    4,

	"templates/catalogue": 0,
	"templates/report":    0,
	"templates":           1,
	"templates/take":      2,
	"templates/setup":     2,
	"templates/watch":     2,
	"templates/analyse":   2,
	"templates/accounts":  2,
	"templates/gallery":   3,

	"web/site":     0,
	"web/take":     1,
	"web/setup":    1,
	"web/watch":    1,
	"web/analyse":  1,
	"web/accounts": 1,
	"web":          2,
	"web/webtest":  3,
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
	t.Parallel()
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
			from, to := roomOf(p.dir), roomOf(target)
			switch {
			case from == to:
			case below != home && floors[below] >= floors[home]:
				t.Errorf("%s: %s imports %s, which does not stand below it", imp.at, p.dir, target)
			case below == home && rooms[to] >= rooms[from]:
				t.Errorf("%s: %s imports %s; a room imports those before it in rooms, and none beside it", imp.at, p.dir, target)
			}
		}
	}
}

func TestForeignPackagesStayInTheirPlace(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for _, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "helper", "models", "misc", "shared"}, p.name) {
			t.Errorf("%s is called %s: a function lives with the idea that it serves", p.dir, p.name)
		}
	}
}

// What makes tests fast must not reach a server: cheap passwords, and commits
// that are not on disk yet.
func TestShortcutsOfTestsStayInTests(t *testing.T) {
	const shortcut = "store.WithoutSync("
	helpers := []string{"internal/store/storetest", "internal/password/passwordtest", "web/webtest"}
	for _, p := range packages(t) {
		if slices.Contains(helpers, p.dir) {
			continue
		}
		for _, imp := range p.imports {
			if !imp.test && slices.Contains(helpers, strings.TrimPrefix(imp.path, "overton/")) {
				t.Errorf("%s: %s is for tests", imp.at, imp.path)
			}
		}
		files, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(content), shortcut) && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s calls %s…), which is for tests", file, shortcut)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// Files move, and the developers' guide says where they are.
func TestTheGuideNamesFilesThatExist(t *testing.T) {
	guide, err := os.ReadFile("docs/guide-for-developers.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([a-z]+/[a-z_/.-]+\\.(?:go|templ))`").FindAllStringSubmatch(string(guide), -1)
	if len(names) < 30 {
		t.Errorf("the guide names only %d files: is the pattern still right?", len(names))
	}
	for _, name := range names {
		if _, err := os.Stat(name[1]); err != nil {
			t.Errorf("docs/guide-for-developers.md names %s, which is not there", name[1])
		}
	}
}

// homeOf returns the entry of floors that a folder belongs to.
func homeOf(dir string) (string, bool) {
	for home := range floors {
		if within(dir, home) {
			return home, true
		}
	}
	return "", false
}

// roomOf returns the innermost room that a folder belongs to; "" for none.
func roomOf(dir string) (room string) {
	for r := range rooms {
		if within(dir, r) && len(r) > len(room) {
			room = r
		}
	}
	return room
}

func within(dir, home string) bool {
	return dir == home || strings.HasPrefix(dir, home+"/")
}
