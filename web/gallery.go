package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"

	"overton/static"
	"overton/templates"
	"overton/templates/catalogue"
	"overton/templates/gallery"
)

// galleryText is shown in the gallery wherever a study or a person can put text.
const galleryText = "Should the city close its centre to cars?"

// Gallery serves every page in its states, with made-up values and no database:
// a list at /, and each page at /page/NAME. Its forms and links lead nowhere.
func Gallery() http.Handler {
	pages := gallery.Pages(catalogue.For("en"), "", galleryText)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		links := make([]templates.Tab, len(pages))
		for i, p := range pages {
			links[i] = templates.Tab{Name: p.Name, Path: "/page/" + url.PathEscape(p.Name)}
		}
		render(w, r, templates.Example{Name: "the list", Content: gallery.List(links)})
	})
	mux.HandleFunc("GET /page/{name}", func(w http.ResponseWriter, r *http.Request) {
		for _, p := range pages {
			if p.Name == r.PathValue("name") {
				render(w, r, p)
				return
			}
		}
		http.NotFound(w, r)
	})
	mux.HandleFunc("GET /static/{file}", func(w http.ResponseWriter, r *http.Request) {
		static.Serve(w, r, r.PathValue("file"))
	})
	return mux
}

// render sends a page whole, or says what was wrong with it.
func render(w http.ResponseWriter, r *http.Request, p templates.Example) {
	var b bytes.Buffer
	if err := p.Content.Render(r.Context(), &b); err != nil {
		http.Error(w, fmt.Sprintf("rendering %s: %v", p.Name, err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes()) // an error here means that the browser left
}
