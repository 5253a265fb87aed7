package site

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"
)

// Markdown renders a text that stands below a page's own heading. Without its
// "unsafe" option, goldmark drops raw HTML and links that run code. Pages load
// nothing from elsewhere, so that an image becomes a link to it.
func Markdown(text string) (string, error) {
	source := []byte(text)
	md := goldmark.New()
	doc := md.Parser().Parse(mdtext.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			h.Level = min(h.Level+1, 6)
		}
	}
	for _, image := range images(doc) {
		link := ast.NewLink()
		link.Destination, link.Title = image.Destination, image.Title
		for n := image.FirstChild(); n != nil; n = image.FirstChild() {
			link.AppendChild(link, n)
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
	var b bytes.Buffer
	err := md.Renderer().Render(&b, source, doc)
	return b.String(), err
}

func images(doc ast.Node) (all []*ast.Image) {
	// The walk's function gives no error.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			all = append(all, image)
		}
		return ast.WalkContinue, nil
	})
	return all
}
