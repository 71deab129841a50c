// A kiosk in Go.   Usage: kiosk CONFIG KEY (64 digits).  Ends after a refused tap.
package main

import (
	"encoding/hex"
	"fmt"
	"log"
	"os"

	"tappet.example/tappet"
)

func main() {
	var key tappet.Key
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	if size, err := hex.Decode(key[:], []byte(os.Args[2])); err != nil || size != len(key) {
		log.Fatal("the key does not have 64 hexadecimal digits")
	}
	url, err := tappet.SignURL(7, 1767168000, key)
	if err != nil {
		log.Fatal(err)
	}
	found, err := tappet.VerifyURL(url, []tappet.Key{{}, key})
	if err != nil || found.Index != 7 || found.KeyIndex != 1 {
		log.Fatal("a signed URL does not verify: ", err)
	}
	if _, err := tappet.Load(os.Args[1]+"\x00", nil); err == nil {
		log.Fatal("a path with a NUL was cut at it")
	}

	events := make(chan tappet.Event, 100)
	kiosk, err := tappet.Load(os.Args[1], func(event tappet.Event) { events <- event })
	if err != nil {
		log.Fatal(err)
	}
	defer kiosk.Close()
	if err := kiosk.AddSecret("garage", key); err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- kiosk.Run() }()
	for {
		select {
		case event := <-events:
			switch event.Type {
			case tappet.Light:
				fmt.Println("light", event.Name)
			case tappet.Delivered:
				fmt.Println("delivered", event.Action)
			case tappet.Refused:
				fmt.Println("refused:", event.Sentence)
				kiosk.Stop()
			}
		case err := <-ended:
			if err != nil {
				log.Fatal(err)
			}
			counters, _ := kiosk.Counters()
			fmt.Printf("counters accepted=%d delivered=%d refused=%d\n",
				counters.Accepted, counters.Delivered, counters.Refused)
			return
		}
	}
}
