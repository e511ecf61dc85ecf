package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// door is how a client gets in: settings by the names of librdkafka, PEM files, a token.
type door struct {
	Settings    map[string]string
	CA          string
	Certificate string
	Token       string
}

func secured(text string) []kgo.Opt {
	var entrance door
	must(json.Unmarshal([]byte(text), &entrance))
	protocol := entrance.Settings["security.protocol"]
	var options []kgo.Opt
	if strings.HasSuffix(protocol, "SSL") {
		options = append(options, kgo.DialTLSConfig(entrance.tls()))
	}
	if strings.HasPrefix(protocol, "SASL") {
		options = append(options, kgo.SASL(entrance.mechanism()))
	}
	return options
}

func (d door) tls() *tls.Config {
	pem, err := os.ReadFile(d.CA)
	must(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	config := &tls.Config{RootCAs: trusted}
	if d.Certificate != "" {
		own, err := tls.LoadX509KeyPair(d.Certificate, d.Certificate)
		must(err)
		config.Certificates = []tls.Certificate{own}
	}
	return config
}

func (d door) mechanism() sasl.Mechanism {
	user, password := d.Settings["sasl.username"], d.Settings["sasl.password"]
	switch d.Settings["sasl.mechanisms"] {
	case "PLAIN":
		return plain.Auth{User: user, Pass: password}.AsMechanism()
	case "SCRAM-SHA-256":
		return scram.Auth{User: user, Pass: password}.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		return scram.Auth{User: user, Pass: password}.AsSha512Mechanism()
	}
	return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
		return oauth.Auth{Token: d.Token}, nil
	})
}
