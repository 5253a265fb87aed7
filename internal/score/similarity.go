package score

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// rated is a response that the participant also rated: its similarity to the response in question, and the
// rating.
type rated struct{ cosine, rating float64 }

// nearestRating is the rating of the most similar other response, the mean of
// the ratings if several are equally similar; NaN if there is none.
func nearestRating(others []rated) float64 {
	best, sum, n := math.Inf(-1), 0.0, 0.0
	for _, o := range others {
		switch {
		case o.cosine > best:
			best, sum, n = o.cosine, o.rating, 1
		case o.cosine == best:
			sum += o.rating
			n++
		}
	}
	return sum / n
}

// weightedRating is the mean of the other ratings weighted by similarity, with no weight for opposite
// responses; the plain mean if nothing is similar.
func weightedRating(others []rated) float64 {
	var sum, weights, plain float64
	for _, o := range others {
		w := math.Max(o.cosine, 0)
		sum += w * o.rating
		weights += w
		plain += o.rating
	}
	if weights == 0 {
		return plain / float64(len(others))
	}
	return sum / weights
}

// linearRating puts the similarity of the participant's own words and the
// response on the scale from 1 to 5.
func linearRating(cosine float64) float64 {
	return 1 + 4*math.Min(1, math.Max(0, (cosine+1)/2))
}

// term is one dimension of a text or an embedding.
type term struct {
	id     int
	weight float64
}

// vector is sparse, its terms in the order of their ids.
type vector []term

// cosine is 0 where a side is zero.
func cosine(a, b vector) float64 {
	dot := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].id < b[j].id:
			i++
		case a[i].id > b[j].id:
			j++
		default:
			dot += a[i].weight * b[j].weight
			i++
			j++
		}
	}
	lengths := a.length() * b.length()
	if lengths == 0 {
		return 0
	}
	return dot / lengths
}

func (v vector) length() float64 {
	squares := 0.0
	for _, t := range v {
		squares += t.weight * t.weight
	}
	return math.Sqrt(squares)
}

// wordCounts counts the lower-case words of a text.
func wordCounts(text string) map[string]int {
	counts := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		counts[w]++
	}
	return counts
}

// weighWords turns texts into vectors of word counts, each word weighted by the logarithm of its rarity among
// the texts (tf-idf).
func weighWords(texts []string) map[string]vector {
	counts := map[string]map[string]int{}
	documents := map[string]int{}
	for _, text := range texts {
		if counts[text] != nil {
			continue
		}
		counts[text] = wordCounts(text)
		for w := range counts[text] {
			documents[w]++
		}
	}
	vocabulary := sortedIDs(documents)
	ids := make(map[string]int, len(vocabulary))
	for id, w := range vocabulary {
		ids[w] = id
	}
	vectors := make(map[string]vector, len(counts))
	for text, words := range counts {
		v := make(vector, 0, len(words))
		for w, n := range words {
			v = append(v, term{ids[w], float64(n) * math.Log(float64(1+len(counts))/float64(documents[w]))})
		}
		slices.SortFunc(v, func(a, b term) int { return a.id - b.id })
		vectors[text] = v
	}
	return vectors
}

// Similarities are three readings of the similarity baseline, about which the paper says only that it is
// cosine similarity: predictions for each row of the ratings, NaN if there is none.
type Similarities struct {
	// Nearest is the participant's rating of the most similar other response
	// to the question, Weighted the mean of those ratings weighted by
	// similarity, Linear the similarity of the response to the participant's
	// own free response, put on the scale from 1 to 5.
	Nearest, Weighted, Linear []float64
}

// CompareTexts predicts ratings from texts alone, by the cosine of their tf-idf word counts: no language
// model, and the same result everywhere. response and freeResponse name the attributes that contain the
// texts.
func CompareTexts(r Ratings, response, freeResponse string) (*Similarities, error) {
	at, err := r.attribute(response)
	if err != nil {
		return nil, err
	}
	own, err := r.attribute(freeResponse)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, row := range r.Rows {
		texts = append(texts, row.Attributes[at], row.Attributes[own])
	}
	vectors := weighWords(texts)
	cosines := map[[2]string]float64{}
	alike := func(a, b string) float64 {
		pair := [2]string{min(a, b), max(a, b)}
		c, ok := cosines[pair]
		if !ok {
			c = cosine(vectors[a], vectors[b])
			cosines[pair] = c
		}
		return c
	}
	seats, _, _ := r.number()
	rows := map[int][]int{}
	for i := range r.Rows {
		rows[seats[i]] = append(rows[seats[i]], i)
	}
	s := &Similarities{}
	for i, row := range r.Rows {
		var others []rated
		for _, k := range rows[seats[i]] {
			if other := r.Rows[k]; k != i && !math.IsNaN(other.Value) {
				others = append(others, rated{alike(row.Attributes[at], other.Attributes[at]), other.Value})
			}
		}
		linear := math.NaN()
		if row.Attributes[own] != "" {
			linear = linearRating(alike(row.Attributes[at], row.Attributes[own]))
		}
		s.Nearest = append(s.Nearest, nearestRating(others))
		s.Weighted = append(s.Weighted, weightedRating(others))
		s.Linear = append(s.Linear, linear)
	}
	return s, nil
}
