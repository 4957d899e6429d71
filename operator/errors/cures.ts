import type { ErrorCode } from './catalogue';

/** Advice for users about each failure; a part of the page on errors and of `ipam error`. */
export const CURES: Readonly<Record<ErrorCode, string>> = {
  'address/malformed':
    'Write one IPv4 address such as 192.0.2.7 or one IPv6 address such as 2001:db8::7, without a prefix length.',
  'address/unusable':
    'Choose an address that can be assigned to one host: no loopback, multicast, link-local, unspecified or broadcast address.',
  'address/wrong-family': 'Name an address of the family that is asked for, or ask for the family of the address.',
  'address/outside-zone':
    'Name an address inside one of the prefixes that the message lists, or another zone. `ipam zones` lists both.',
  'address/excluded': 'Name another address, or take this one out of the `excluded` addresses of the zone.',
  'address/held':
    'Name another address, or release the one that the message names: delete its Service, or run `ipam release` as an administrator.',
  'address/in-use':
    'Nothing: the Service waits, and gets the address within a second after the other Service is gone. Wish for another address to end the wait.',
  'address/contested':
    'Mend what the message names (open the zone, restore the Secret, give one of both Services another address), or end it with `ipam evict`.',
  'address/foreign':
    'Look at both sides with `ipam differences`. Free the address in the outside system, or wish for another one.',
  'address/quarantined':
    'Wait for the time that the answer names, or wish for another address. `quarantineSeconds` of the zone sets the pause.',
  'address/reserved': 'Name another address of the subnet; its first and its last one belong to the network itself.',
  'outside/none':
    'Set `--netbox-url` where a NetBox is to stand beside the record; without one there is nothing to compare.',
  'prefix/malformed': 'Write a prefix in CIDR notation, such as 10.0.0.0/24 or 2001:db8::/64.',
  'prefix/host-bits-set': 'Clear the bits after the length: the message names the prefix that is meant.',
  'prefix/not-a-host': 'Claim a single address, with the length /32 for IPv4 or /128 for IPv6.',
  'prefix/invalid':
    'Give the IPPrefix a prefix or a range that fits its kind; the message names the fields that contradict each other.',
  'prefix/host-length': 'Give the prefix a shorter length: this kind holds more than one address.',
  'prefix/no-network-name': 'Name the network in `spec.networkName`, or in the label that the message names.',
  'prefix/parent-kind': 'Put the prefix into one of the kinds that the message lists, or change its own kind.',
  'prefix/has-children': 'Move or delete the prefixes inside first; the message names them.',
  'prefix/no-aggregate': 'Declare an IPPrefix of kind `aggregate` around it first.',
  'prefix/in-use': 'Delete or move what uses the prefix; the condition of the object names the users.',
  'prefix/other-network': 'Name the network to which the subnet belongs, or choose another subnet.',
  'prefix/name-taken': 'Give the network another name, or use the subnet that has the name.',
  'prefix/second-gateway': 'Remove the other gateway first; a subnet has one.',
  'prefix/overlap': 'Choose a prefix or range that does not overlap the one that the message names.',
  'prefix/no-network': 'Declare an IPPrefix around the request first.',
  'range/malformed': 'Write the first and the last address with a hyphen between them, such as 10.0.0.10-10.0.0.20.',
  'range/reversed': 'Write the lower address first.',
  'range/mixed-families': 'Take both ends of the range from one family.',
  'addressing/out-of-range':
    'This is a fault of the program. Report it with the line of the log that names the request.',
  'pool/exhausted':
    'Add a prefix to the zone or pool, or release addresses that are not needed: `ipam tree` shows their holders. A Service or claim that waits is served without another call then.',
  'pool/not-ready':
    'Create the pool that the claim names, or mend what its condition tells; the claim is served by itself then.',
  'pool/unpublished':
    'Nothing: the change is tried again. If it lasts, look at the MetalLB pool of the zone and at `ipam doctor`.',
  'pool/owned':
    'Delete the MetalLB pool of that name, or rename the zone: a pool of another owner is never taken over.',
  'pool/overlap': 'Take the addresses out of the other MetalLB pool that the message names, or out of the zone.',
  'pool/in-use':
    'Move the Services that the message names first, or list the addresses in the annotation `ipam.vitistack.io/withdraw` of the pool.',
  'instance/not-found': 'Create the NetworkInstance in the namespace that the message names, or correct the name.',
  'instance/terminating': 'Wait until the NetworkInstance is gone and create it again, or name another one.',
  'instance/missing': 'Name a NetworkInstance in the request.',
  'instance/in-use': 'Delete the prefixes and allocations that the condition of the NetworkInstance names.',
  'instance/invalid': 'Correct the field that the message names.',
  'label/reserved': 'Remove the label; the system sets it by itself.',
  'label/too-many': 'Use fewer or shorter labels; the message names the limit.',
  'selector/invalid': 'Give the request a selector that does not contradict its other fields.',
  'selector/no-network': 'Select a network by its label in the selector of the request.',
  'selector/no-candidate':
    'Correct the selector, or give an IPPrefix the labels that it asks for. `ipam tree --instance` shows the prefixes.',
  'selector/no-shorter-parent': 'Ask for a longer prefix, or declare a larger prefix that the selector matches.',
  'selector/bound': 'Select another address, or delete the request that has it; the message names it.',
  'request/invalid': 'Correct the field of the IPAllocation that the message names.',
  'request/length': 'Use a length from 0 to 32 for IPv4 and from 0 to 128 for IPv6.',
  'request/length-not-allowed': 'Leave the prefix length out: this kind of request has none.',
  'request/length-differs': 'Use the length of the subnet, which the message names.',
  'request/aggregate-dynamic': 'Name the prefix of the aggregate; it is never chosen.',
  'request/changed': 'Use another name for the new request, or release what the name has first.',
  'package/no-kptfile': 'Run the command in a folder with a Kptfile, or make one with `kpt pkg init`.',
  'package/published': 'Propose a new revision of the package, and fill that one.',
  'package/malformed': 'Correct the file that the message names, at its line.',
  'package/other': 'Give the allocation another name, or release what the other package has.',
  'zone/unknown': 'Name one of the zones that the message lists, or add the zone.',
  'zone/no-family': 'Ask for a family that the zone has, or add a prefix of this family to it.',
  'zone/draining': 'Name another zone, or end the draining of this one.',
  'zone/forbidden':
    'Name a zone that is open to the namespace, or let an administrator change the `namespaces` selector of the zone.',
  'zone/quota': 'Release addresses of the zone, or raise its `quota`.',
  'zone/invalid': 'Correct the zone document at the field that the message names.',
  'zone/overlap': 'Change one of the two prefixes that the message names; zones of one network never share addresses.',
  'wish/malformed': 'Give the annotation one of the values that the message lists.',
  'wish/contradiction': 'Remove one of the two keys that the message names, or give both the same value.',
  'wish/family': 'Make the addresses and the families of the Service agree; the message names both.',
  'wish/immutable': 'Create a new Service: this field is fixed once the Service is stored.',
  'sharing/refused':
    'Give both Services the same sharing key, ports that differ and the same `externalTrafficPolicy`; the message names what differs.',
  'secret/missing': 'Create the Secret that the message names in the namespace of the Service.',
  'secret/invalid': 'Make it an Opaque Secret whose key `secret` has 8 to 64 characters.',
  'secret/wrong': 'Use the secret with which the address was taken, or wish for another address.',
  'secret/shared': 'Release the other holders first, or give them another address.',
  'secret/not-recoverable': 'Rotate the secret instead: the record keeps a hash of it alone.',
  'reservation/limit':
    'Wait until Services of the namespace are stored or their reservations end (five minutes), or raise the limit.',
  'reservation/missing': 'Create the Service again: its reservation ended before it was stored.',
  'claim/not-found': 'Check the name; what is not on record needs no release.',
  'claim/in-use': 'Release what lies inside first; the message names it.',
  'claim/key-used': 'Use another key for the new wish.',
  'claim/nameless': 'Nothing: the address comes once the API server has stored the object.',
  'claim/invalid': 'Correct the field that the message names.',
  'group/invalid': 'Correct the field of the IPGroup that the message names.',
  'egress/invalid': 'Correct the field of the EgressIPAM that the message names.',
  'egress/overlap':
    'Choose CIDRs that no other EgressIPAM, Pod or Service has, or set `spec.allowOverlap` on both EgressIPAMs.',
  'egress/in-use':
    'Take the addresses from the Namespaces that the message names first, or set the annotation `egressip-ipam-operator.redhat-cop.io/force: "true"`.',
  'egress/list': 'Correct the list of the Namespace as the message says, or remove it to be given addresses.',
  'egress/forbidden':
    'Let an administrator grant the verb `use` on the EgressIPAM (`egressipams.redhatcop.redhat.io`), or annotate the Namespace.',
  'ip/invalid': 'Do not write IP objects by hand; the operator makes them. If it was you, delete the object.',
  'service/not-ours':
    'Nothing, where another program changed the type of the Service at the same time: the change is tried again.',
  'service/dying': 'Wait until the Service is gone, and create it again.',
  'namespace/not-found': 'Nothing: it is tried again. Create the namespace where it does not exist.',
  'store/unavailable':
    'Look at the database or the volume of the operator; its log names the cause. Addresses in use go on working.',
  'store/not-ready':
    'Nothing: addresses are given once everything in use is on record. If it lasts, `ipam doctor` says what is missing.',
  'store/deadline':
    'Nothing: try again. If it lasts, the metric `ipam_admission_deadlines_total` says what the operator waits for.',
  'store/conflict': 'Nothing: it is tried again.',
  'store/closed': 'Nothing: the operator is ending, and the next one serves.',
  'store/locked': 'Stop the other operator that has the file open; with SQLite one process serves.',
  'store/no-file': 'Use the backups of the database, such as `pg_dump --schema=ipam`.',
  'store/keys': 'Restore the Secret `ipam-keys` that belongs to this store; without it no owner can prove itself.',
  'store/lost':
    'Give the operator its former store again, restore a backup, or move the claims with `ipam migrate-store`. Remove the keys only to begin anew.',
  'store/moved':
    'Give the operator the store that the message names. Where a move did not end, run `ipam migrate-store --yes` again.',
  'store/no-zones': 'Use the commands of the doors that are on; this operator has no zones.',
  'store/no-exchange': 'Give one of the Services another address first.',
  'store/no-contests': 'Mend the cause that the condition names; the address stays meanwhile.',
  'store/no-history': 'Ask the program that keeps the record, such as the IPAM-API.',
  'store/no-reports': 'Ask the program that keeps the record, such as the IPAM-API.',
  'store/no-preview': 'Make the real call: this store cannot be asked without taking.',
  'store/schema': 'Start the version of the operator that wrote the store, or a newer one.',
  'cluster/unavailable': 'Look at the API server and at the network to it; everything is tried again by itself.',
  'cluster/identity-shared':
    'Give one of the two clusters an identity of its own (`settings.clusterId`), or shut one down; the log names the other one.',
  'cluster/known': 'Choose a new name for the cluster that has nothing on record.',
  'cluster/renamed':
    'Start the operator under the identity that the message names, or move the record with `ipam rename-cluster`.',
  'cluster/refused':
    'Look at the policy, webhook or right of the cluster that the message names; the write is tried again.',
  'cloud/unavailable':
    'Look at the network from the operator to the API of the cloud; everything is tried again by itself.',
  'cloud/throttled':
    'Nothing: calls begin again after the time that the cloud asked for. If it lasts, raise the limits of the account.',
  'cloud/login':
    'Put the keys that the message names into the Secret of the cloud, or give its identity the right to log in; it is read again by itself.',
  'cloud/in-use':
    'Detach the address from the machine that has it, or keep the range of the EgressIPAM out of what the cloud gives to machines.',
  'cloud/refused': 'Give the identity of the operator the right that the message names, or mend what it tells.',
  'api/malformed': 'Send the body that `GET /v3/openapi.json` describes; the answer names the field.',
  'api/too-large': 'Send less in one request; the message names the limit.',
  'api/busy': 'Try again with growing pauses.',
  'api/not-found': 'Check the path; `GET /v3/openapi.json` lists them all.',
  'api/method-not-allowed': 'Use a method that the header `allow` names.',
  'api/unsupported-media-type': 'Send JSON with `content-type: application/json`.',
  'api/timeout': 'Send the request faster, or in smaller parts.',
  'api/headers-too-large': 'Send fewer or shorter headers.',
  'api/anonymous': 'Log in with a token or a certificate, or let the administrator set `--allow-anonymous-v2`.',
  'api/unauthenticated': 'Send a token or a certificate that the clients file names.',
  'api/forbidden': 'Let an administrator do it, or give this client the role that it needs.',
  'api/rate-limit': 'Wait for the seconds that the answer names; `requestsPerSecond` of the client sets the rate.',
  'api/too-many-streams': 'Close a stream of this client first.',
  'api/streams-full': 'Try again after the seconds that the answer names.',
  'api/outdated': 'Read the claim again, and repeat the change on what it is now.',
  'cluster/quota': 'Release addresses of the cluster, or raise the quota of its client.',
  'namespace/quota': 'Release addresses of the namespace, or raise its quota.',
  'settings/invalid': 'Correct the flag or variable that the message names; `ipam-operator --help` lists the values.',
  'certificate/invalid': 'Give a certificate and the key that belongs to it, in PEM.',
  internal: 'This is a fault of the program. Report it with the line of the log that has the same time.',
};
