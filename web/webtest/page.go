package webtest

import (
	"strings"

	"golang.org/x/net/html"
)

// Find returns the element with an id, or an empty one.
func Find(n *html.Node, id string) *html.Node {
	if n.Type == html.ElementNode && Attribute(n, "id") == id {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if got := Find(c, id); got.Type != html.ErrorNode {
			return got
		}
	}
	return &html.Node{}
}

// ForEach does something with every element of a tag at or below n.
func ForEach(n *html.Node, tag string, do func(*html.Node)) {
	if n.Type == html.ElementNode && n.Data == tag {
		do(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		ForEach(c, tag, do)
	}
}

// Has returns an attribute of an element, and whether it has it.
func Has(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Attribute returns an attribute of an element; "" if it has none.
func Attribute(n *html.Node, name string) string { v, _ := Has(n, name); return v }

// Text is all text at or below n.
func Text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(Text(c))
	}
	return b.String()
}
