package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// document is a YAML file that is read key by key. It remembers where each
// key stands, so that anyone who judges the values later can point at the line.
type document struct {
	file   string
	faults *Faults
	lines  map[string]int // key path to line
	faulty map[string]bool
}

// The parser's time and memory grow with the square of the nesting: 100,000
// brackets take minutes, 30,000 dashes in a row 4 GB. A study's file has a few
// kilobytes and some dozen brackets.
const (
	maxYAML     = 64 << 10 // bytes
	maxBrackets = 1000     // [ and {
	maxCommas   = 5000
	maxDashes   = 100 // "- " in one line
)

// ParseYAML reads a file that is one mapping.
func ParseYAML(file string, data []byte, faults *Faults) (Mapping, bool) {
	doc := &document{file: file, faults: faults, lines: map[string]int{}, faulty: map[string]bool{}}
	text, ok := PlainText(file, data, faults)
	if !ok {
		return Mapping{}, false
	}
	if len(text) > maxYAML {
		doc.fault("", "", "has %d bytes; expected at most %d", len(text), maxYAML)
		return Mapping{}, false
	}
	if n := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); n > maxBrackets {
		doc.fault("", "", "has %d opening brackets; expected at most %d", n, maxBrackets)
		return Mapping{}, false
	}
	if n := bytes.Count(text, []byte(",")); n > maxCommas {
		doc.fault("", "", "has %d commas; expected at most %d", n, maxCommas)
		return Mapping{}, false
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if n := bytes.Count(line, []byte("- ")); n > maxDashes {
			*faults = append(*faults, Fault{File: file, Line: number, Message: fmt.Sprintf("has %d dashes; expected at most %d in a line", n, maxDashes)})
			return Mapping{}, false
		}
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		f := Fault{File: file, Message: "is not YAML: " + err.Error()}
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			f.Line, f.Message = at.GetToken().Position.Line, "is not YAML: "+at.GetMessage()
			if strings.Contains(f.Message, "found character '\t'") {
				f.Message = "has a tab at the beginning; expected spaces"
			}
		}
		*faults = append(*faults, f)
		return Mapping{}, false
	}
	if len(tree.Docs) == 1 {
		if body, ok := tree.Docs[0].Body.(*ast.MappingNode); ok {
			return doc.mapping("", body), true
		}
	}
	doc.fault("", "", "is not one mapping; expected lines such as “title: …”")
	return Mapping{}, false
}

// fault is something wrong in one cell.
func (d *document) fault(path, value, format string, args ...any) {
	for p := path; p != ""; p = parent(p) {
		if d.faulty[p] {
			return
		}
	}
	d.faulty[path] = true
	*d.faults = append(*d.faults, Fault{File: d.file, Line: d.line(path), Column: path, Value: value, Message: fmt.Sprintf(format, args...)})
}

// line is where a path stands, or for a missing key where its parent does.
func (d *document) line(path string) int {
	for path != "" {
		if line, ok := d.lines[path]; ok {
			return line
		}
		path = parent(path)
	}
	return 0
}

// parent cuts the last key or index off a path.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// Mapping is one mapping of a document. Each key is asked for by name; done
// refuses those that nobody asked for.
type Mapping struct {
	doc    *document
	path   string
	Keys   []string
	values map[string]ast.Node
	asked  *[]string
}

func (d *document) mapping(path string, node *ast.MappingNode) Mapping {
	m := Mapping{doc: d, path: path, values: map[string]ast.Node{}, asked: new([]string)}
	for _, entry := range node.Values {
		key := entry.Key.GetToken().Value
		m.Keys = append(m.Keys, key)
		m.values[key] = entry.Value
		d.lines[m.at(key)] = entry.Key.GetToken().Position.Line
	}
	return m
}

// at is the path of a key; "" stands for the mapping itself.
func (m Mapping) at(key string) string {
	switch {
	case key == "":
		return m.path
	case m.path == "":
		return key
	}
	return m.path + "." + key
}

// Fault notes what is wrong with the value under a key, or at a path below it;
// "" stands for the mapping itself.
func (m Mapping) Fault(key, value, format string, args ...any) {
	m.doc.fault(m.at(key), value, format, args...)
}

// Line is where the mapping stands.
func (m Mapping) Line() int { return m.doc.line(m.path) }

// Has says whether there is something under a key.
func (m Mapping) Has(key string) bool { return m.value(key) != nil }

// value is the node under a key; nil where it is absent or empty.
func (m Mapping) value(key string) ast.Node {
	if m.values == nil {
		return nil
	}
	if !slices.Contains(*m.asked, key) {
		*m.asked = append(*m.asked, key)
	}
	if node := m.values[key]; node != nil && node.Type() != ast.NullType {
		return node
	}
	return nil
}

func (m Mapping) refuse(key string, node ast.Node, expected string) {
	m.doc.fault(m.at(key), strings.TrimSpace(node.String()), "is not understood; expected %s", expected)
}

// Text reads a text. Numbers and the like are taken as they are written.
func (m Mapping) Text(key, fallback string) string {
	node := m.value(key)
	switch n := node.(type) {
	case nil:
		return fallback
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value
	}
	m.refuse(key, node, "a text")
	return fallback
}

// Number reads a whole number.
func (m Mapping) Number(key string, fallback int) int {
	node := m.value(key)
	if node == nil {
		return fallback
	}
	if n, err := strconv.Atoi(node.GetToken().Value); err == nil && node.Type() == ast.IntegerType {
		return n
	}
	m.refuse(key, node, "a whole number")
	return fallback
}

// Flag reads true or false.
func (m Mapping) Flag(key string, fallback bool) bool {
	switch n := m.value(key).(type) {
	case nil:
		return fallback
	case *ast.BoolNode:
		return n.Value
	default:
		m.refuse(key, n, "true or false")
		return fallback
	}
}

// Mapping reads a mapping; an empty one where the key is absent.
func (m Mapping) Mapping(key string) Mapping {
	switch n := m.value(key).(type) {
	case nil:
	case *ast.MappingNode:
		return m.doc.mapping(m.at(key), n)
	default:
		m.refuse(key, n, "further keys below it")
	}
	return Mapping{doc: m.doc, path: m.at(key)}
}

// List reads a list of mappings.
func (m Mapping) List(key string) []Mapping {
	node := m.value(key)
	if node == nil {
		return nil
	}
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		m.refuse(key, node, "a list, each entry starting with “- ”")
		return nil
	}
	var list []Mapping
	for i, entry := range sequence.Values {
		at := fmt.Sprintf("%s[%d]", m.at(key), i)
		m.doc.lines[at] = entry.GetToken().Position.Line
		n, ok := entry.(*ast.MappingNode)
		if !ok {
			m.doc.fault(at, strings.TrimSpace(entry.String()), "is not understood; expected an entry such as “- name: …”")
			n = &ast.MappingNode{}
		}
		list = append(list, m.doc.mapping(at, n))
	}
	return list
}

// Texts reads a list of texts. Numbers and the like are taken as they are
// written.
func (m Mapping) Texts(key string) []string {
	node := m.value(key)
	if node == nil {
		return nil
	}
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		m.refuse(key, node, "a list such as [a, b]")
		return nil
	}
	var list []string
	for i, entry := range sequence.Values {
		switch n := entry.(type) {
		case *ast.StringNode:
			list = append(list, n.Value)
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			list = append(list, entry.GetToken().Value)
		default:
			m.doc.fault(fmt.Sprintf("%s[%d]", m.at(key), i), strings.TrimSpace(entry.String()), "is not understood; expected a text")
		}
	}
	return list
}

// Done refuses every key that was not asked for.
func (m Mapping) Done() {
	for _, key := range m.Keys {
		if slices.Contains(*m.asked, key) {
			continue
		}
		if name := Near(key, *m.asked); name != "" {
			m.doc.fault(m.at(key), "", "is not a key of a study; did you mean %q?", name)
			continue
		}
		m.doc.fault(m.at(key), "", "is not a key of a study; expected one of %s", strings.Join(*m.asked, ", "))
	}
}
