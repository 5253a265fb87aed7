package gallery

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"overton/templates"
	"overton/templates/catalogue"
	"overton/templates/take"
)

// hostile is text that must never become anything but text.
const hostile = `<img src=x onerror=alert(1)> {{7*7}} "'</textarea><script>alert(2)</script>`

// pages holds every page, with hostile text wherever a study or a person can
// put text.
func pages(words catalogue.Words) map[string]templ.Component {
	all := map[string]templ.Component{}
	for _, p := range Pages(words, "/studies/x", hostile) {
		all[p.Name] = p.Content
	}
	return all
}

func render(t *testing.T, c templ.Component) (string, *html.Node) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), doc
}

func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestTextIsInertOnEveryPage(t *testing.T) {
	for name, page := range pages(catalogue.For("en")) {
		_, doc := render(t, page)
		scripts, shown := 0, false
		walk(doc, func(n *html.Node) {
			switch {
			case n.Type == html.TextNode && strings.Contains(n.Data, "{{7*7}}"):
				shown = true
			case n.Type != html.ElementNode:
				return
			}
			switch n.Data {
			case "img":
				t.Errorf("%s: text became an image", name)
			case "script":
				scripts++
				if n.FirstChild != nil {
					t.Errorf("%s: a script stands inside the page", name)
				}
			case "style":
				t.Errorf("%s: a style stands inside the page", name)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("%s: <%s %s> is inline code", name, n.Data, a.Key)
				}
			}
		})
		ours := 1
		if strings.HasPrefix(name, "admin ") {
			ours = 2 + ownScripts[name] // the one for tables, too
		}
		if strings.HasPrefix(name, "admin setup") {
			ours = 3 // and the editor's
		}
		if scripts != ours {
			t.Errorf("%s: %d scripts, want only our own", name, scripts)
		}
		if !shown {
			t.Errorf("%s: the text is not shown at all", name)
		}
	}
}

func TestEveryPageCanBeUsedWithAssistiveTechnology(t *testing.T) {
	for name, page := range pages(catalogue.For("en")) {
		_, doc := render(t, page)
		ids, headings := map[string]bool{}, 0
		walk(doc, func(n *html.Node) {
			if id := attr(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: id %q twice", name, id)
				}
				ids[id] = true
			}
			if n.Data == "h1" {
				headings++
			}
		})
		if headings != 1 {
			t.Errorf("%s: %d first-level headings, want 1", name, headings)
		}
		if !ids["main"] {
			t.Errorf("%s: nothing for the skip link to lead to", name)
		}
		walk(doc, func(n *html.Node) {
			if target := attr(n, "href"); n.Data == "a" && strings.HasPrefix(target, "#") && !ids[target[1:]] {
				t.Errorf("%s: link to %s leads nowhere", name, target)
			}
			for _, described := range strings.Fields(attr(n, "aria-describedby")) {
				if !ids[described] {
					t.Errorf("%s: description %q does not exist", name, described)
				}
			}
			if n.Data == "fieldset" && (n.FirstChild == nil || firstElement(n).Data != "legend") {
				t.Errorf("%s: a fieldset does not begin with its legend", name)
			}
		})
	}
}

func firstElement(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return &html.Node{}
}

// ownScripts are the scripts of single pages.
var ownScripts = map[string]int{
	"admin analysis": 1, "admin run on its way": 1, "admin monitor": 1, "admin monitor at first": 1, "admin monitor with every alarm": 1,
	"admin monitor paused": 1, "admin monitor for a viewer": 1, "admin monitor with nobody": 1, "admin monitor of a rehearsal": 1,
	"admin moderation": 1, "admin moderation after rejecting": 1,
}

func TestLanguageAndDirectionStandOnEveryPage(t *testing.T) {
	for _, words := range []catalogue.Words{catalogue.For("en"), {Lang: "ar", Dir: "rtl"}} {
		for name, page := range pages(words) {
			body, _ := render(t, page)
			if want := `<html lang="` + words.Lang + `" dir="` + words.Dir + `">`; !strings.Contains(body, want) {
				t.Errorf("%s: %s is not there", name, want)
			}
		}
	}
}

func TestPagesWorkBelowABasePath(t *testing.T) {
	for name, page := range pages(catalogue.For("en")) {
		body, _ := render(t, page)
		want := 3
		if strings.HasPrefix(name, "admin ") {
			want = 4 + ownScripts[name] // the script for tables, too
		}
		if strings.HasPrefix(name, "admin setup") {
			want = 5 // and the editor's
		}
		if n := strings.Count(body, `"/studies/x/static/`); n != want {
			t.Errorf("%s: %d assets below the base path, want %d", name, n, want)
		}
	}
}

func TestNothingIsChosenBeforeThePersonChooses(t *testing.T) {
	frame := templates.Frame{Words: catalogue.For("en")}
	page := take.View(take.Step{Frame: frame, Fields: []take.Field{
		{ID: "f1", Name: "stance", Options: []templates.Option{{Value: "1", Label: "a"}, {Value: "2", Label: "b"}}},
		{ID: "f2", Name: "importance", Low: "low", High: "high"}}}, "?")
	if body, _ := render(t, page); strings.Contains(body, "checked") {
		t.Error("something is preselected")
	}
}

func TestTextKeepsALeadingLineBreak(t *testing.T) {
	page := take.Feedback(take.Step{Frame: templates.Frame{Words: catalogue.For("en")}, Fields: []take.Field{{ID: "f1", Value: "\na\n\nb"}}})
	_, doc := render(t, page)
	walk(doc, func(n *html.Node) {
		if n.Data == "textarea" && n.FirstChild.Data != "\na\n\nb" {
			t.Errorf("the box holds %q", n.FirstChild.Data)
		}
	})
}

// Keys are looked up by name, so a misspelt one would show on the page.
func TestEveryKeyUsedIsInTheCatalogue(t *testing.T) {
	literal := regexp.MustCompile(`Say\("([a-z_.0-9]+)"[,)]`)
	used := 0
	for _, pattern := range []string{"../*.templ", "../*/*.templ", "../../web/*/*.go"} {
		sources, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range sources {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
				used++
				if !catalogue.Has(m[1]) {
					t.Errorf("%s: %q is not in the catalogue", file, m[1])
				}
			}
		}
	}
	if used < 30 {
		t.Errorf("only %d keys found in the templates: is the pattern still right?", used)
	}
	var built []string
	for _, o := range take.Outcomes {
		built = append(built, "end."+o+".title", "end."+o+".text")
	}
	for _, v := range []string{"agree", "disagree", "neutral", "skip"} {
		built = append(built, "vote."+v, "vote.was_"+v)
	}
	for _, key := range built {
		if !catalogue.Has(key) {
			t.Errorf("%q is not in the catalogue", key)
		}
	}
}
