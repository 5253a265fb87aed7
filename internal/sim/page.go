package sim

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// page is what a browser shows, as far as a walker needs it.
type page struct {
	status   int
	url      *url.URL
	place    string // path within the study: start, p/q1-view, end, …
	title    string // its h1: on the pages of a question, the question
	exhibit  string // its blockquote: the response or statement to judge
	text     string // all text in its main part
	progress float64
	code     string // completion code
	form     *form  // the one that posts to the page's own address; nil: none
}

// form is an HTML form as someone without a script sees it.
type form struct {
	action  *url.URL
	hidden  url.Values
	choices map[string][]string // values of radio buttons, by name
	chosen  map[string]string   // those that are checked
	texts   map[string]string   // content of text areas, by name
	buttons map[string][]string // values of named submit buttons, by name
	submit  bool                // there is a submit button without a name
	order   []string            // names of choices, texts and buttons as they come
}

// readPage parses a page of the study that lies below base.
func readPage(status int, at *url.URL, base string, body io.Reader) (*page, error) {
	doc, err := html.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at.Path, err)
	}
	p := &page{status: status, url: at, place: strings.Trim(strings.TrimPrefix(at.Path, base), "/")}
	var main *html.Node
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "main":
			main = n
		case "progress":
			now, _ := strconv.ParseFloat(attribute(n, "value"), 64)
			if most, err := strconv.ParseFloat(attribute(n, "max"), 64); err == nil && most > 0 {
				p.progress = 100 * now / most
			}
		}
	}
	if main == nil {
		return p, nil
	}
	p.text = content(main)
	for n := range main.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "h1":
			p.title = fold(content(n))
		case "blockquote":
			p.exhibit = fold(content(n))
		case "code":
			p.code = fold(content(n))
		case "form":
			if strings.EqualFold(attribute(n, "method"), "post") {
				if action, err := at.Parse(attribute(n, "action")); err == nil && action.Path == at.Path {
					p.form = readForm(action, n)
				}
			}
		}
	}
	return p, nil
}

func readForm(action *url.URL, node *html.Node) *form {
	f := &form{action: action, hidden: url.Values{}, choices: map[string][]string{}, chosen: map[string]string{},
		texts: map[string]string{}, buttons: map[string][]string{}}
	seen := func(name string) {
		if !slices.Contains(f.order, name) {
			f.order = append(f.order, name)
		}
	}
	for n := range node.Descendants() {
		if n.Type != html.ElementNode || has(n, "disabled") {
			continue
		}
		name, value := attribute(n, "name"), attribute(n, "value")
		switch {
		case n.Data == "input" && attribute(n, "type") == "hidden":
			f.hidden.Add(name, value)
		case n.Data == "input" && attribute(n, "type") == "radio":
			f.choices[name] = append(f.choices[name], value)
			if has(n, "checked") {
				f.chosen[name] = value
			}
			seen(name)
		case n.Data == "textarea":
			f.texts[name] = strings.TrimPrefix(content(n), "\n")
			seen(name)
		case n.Data == "button" && (attribute(n, "type") == "submit" || attribute(n, "type") == ""):
			if name == "" {
				f.submit = true
				break
			}
			f.buttons[name] = append(f.buttons[name], value)
			seen(name)
		}
	}
	return f
}

// options are the values that a field of the form offers; nil for free text.
func (f *form) options(name string) []string {
	if b := f.buttons[name]; b != nil {
		return b
	}
	return f.choices[name]
}

// fill turns the form into what a browser sends. Every answer must be one that the form offers, and there
// must be a button to send it with.
func (f *form) fill(answers map[string]string) (url.Values, error) {
	values := url.Values{}
	for name, v := range f.hidden {
		values[name] = slices.Clone(v)
	}
	for name, v := range f.chosen {
		values.Set(name, v)
	}
	for name, v := range f.texts {
		values.Set(name, lineEnds.Replace(v))
	}
	pressed := f.submit
	for name, v := range answers {
		_, isText := f.texts[name]
		switch {
		case isText:
			v = lineEnds.Replace(v)
		case !slices.Contains(f.options(name), v):
			return nil, fmt.Errorf("the form does not offer %q for %s", v, name)
		case f.buttons[name] != nil:
			pressed = true
		}
		values.Set(name, v)
	}
	if !pressed {
		return nil, fmt.Errorf("the form has no button to send it with")
	}
	return values, nil
}

// lineEnds makes the line endings that browsers send.
var lineEnds = strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n")

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// content is the text within a node.
func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
