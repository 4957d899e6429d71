// Command webhook is the reference of benches W1 and W2: the admission webhook that a Go programmer would write with the
// standard library alone. It decodes the whole review, reads the Service's annotations, answers a JSON patch with one
// address from a counter. Arguments: certificate file, key file. Prints its port once it listens.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID       string          `json:"uid"`
	Operation string          `json:"operation"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject"`
}

type response struct {
	UID       string `json:"uid"`
	Allowed   bool   `json:"allowed"`
	PatchType string `json:"patchType,omitempty"`
	Patch     []byte `json:"patch,omitempty"`
}

type service struct {
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec map[string]any `json:"spec"`
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

var counter atomic.Uint32

func admit(w http.ResponseWriter, r *http.Request) {
	var in review
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
		http.Error(w, "bad review", http.StatusBadRequest)
		return
	}
	var object service
	if err := json.Unmarshal(in.Request.Object, &object); err != nil {
		http.Error(w, "bad object", http.StatusBadRequest)
		return
	}
	n := counter.Add(1)
	address := fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
	patch, _ := json.Marshal([]operation{
		{"add", "/metadata/annotations/ipam.vitistack.io~1addresses", address},
		{"add", "/metadata/annotations/metallb.io~1loadBalancerIPs", address},
		{"add", "/metadata/annotations/metallb.io~1address-pool", object.Metadata.Annotations["ipam.vitistack.io/zone"]},
	})
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review{APIVersion: in.APIVersion, Kind: in.Kind,
		Response: &response{UID: in.Request.UID, Allowed: true, PatchType: "JSONPatch", Patch: patch}})
}

func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	// The API server calls webhooks over HTTP/1.1, so the reference speaks it too.
	server := &http.Server{Handler: http.HandlerFunc(admit), TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	panic(server.Serve(tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}})))
}
