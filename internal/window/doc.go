// Package window runs one analysis from collected data to result: read,
// cluster, score, record. What a window or a score is lives in packages
// cluster and score; here they are joined.
package window
