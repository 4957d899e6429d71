module example.com/ipam-bench/webhook

go 1.22
