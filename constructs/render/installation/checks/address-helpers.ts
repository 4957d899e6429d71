import { familyBits, unusableReason } from '../../../../operator/addressing/address';
import { prefixOf, type Prefix } from '../../../../operator/addressing/prefix';

// Helm knows no addresses. As text of a family and binary digits they compare like numbers, and a prefix is the beginning
// of every address that it holds.

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const IPV4 = `^${OCTET}([.]${OCTET}){3}$`;
const GROUP = '[0-9A-Fa-f]{1,4}';
const GROUPS = `(${GROUP}(:${GROUP})*)?`;

const DIGITS = Array.from({ length: 16 }, (_, value) => {
  return `"${value.toString(16)}" "${value.toString(2).padStart(4, '0')}"`;
}).join(' ');

function bitsOf({ family, length, first }: Prefix): string {
  const digits = first.toBigInt().toString(2).padStart(familyBits(family), '0');
  return `${String(family)}${digits.slice(0, length)}`;
}

// Inside of each the same holds for every address; narrower ones come first.
const UNUSABLE = [
  '0.0.0.0/32',
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  'ff00::/8',
  'fe80::/10',
  '::ffff:0:0/96',
  '::/128',
  '::1/128',
].map(prefixOf);

const unusable = (): string =>
  UNUSABLE.map((prefix, i) => {
    const word = unusableReason(prefix.first) ?? '';
    return `{{- ${i === 0 ? 'if' : 'else if'} hasPrefix "${bitsOf(prefix)}" . }}${word}`;
  }).join('\n');

// The longest run of zero groups, the first of several, becomes "::" (RFC 5952).
const ZERO_RUNS = [8, 7, 6, 5, 4, 3, 2].map((count) => `"(^|:)0(:0){${String(count - 1)}}(:|$)"`).join(' ');

/** Named templates that read addresses. */
export const ADDRESS_HELPERS = {
  prefix: 'cdk8s-ipam.prefix',
  block: 'cdk8s-ipam.block',
  unusable: 'cdk8s-ipam.unusable',
  next: 'cdk8s-ipam.next',
} as const;

/** Templates that read addresses, prefixes and ranges as strictly as the operator does. */
export const ADDRESS_TPL = `{{/* Binary digits of an IPv4 address. */}}
{{- define "cdk8s-ipam.octets" -}}
{{- range splitList "." . }}{{ printf "%08b" (int .) }}{{ end }}
{{- end }}

{{/* Family and binary digits of an IPv6 address; nothing where the text is none. */}}
{{- define "cdk8s-ipam.groups" -}}
{{- $text := . }}
{{- $tail := regexFind "[^:]*$" . }}
{{- if regexMatch "${IPV4}" $tail }}
{{- $octets := splitList "." $tail }}
{{- $high := add (mul 256 (int (index $octets 0))) (int (index $octets 1)) }}
{{- $low := add (mul 256 (int (index $octets 2))) (int (index $octets 3)) }}
{{- $text = printf "%s%x:%x" (trimSuffix $tail .) $high $low }}
{{- end }}
{{- $groups := list }}
{{- if regexMatch "^${GROUP}(:${GROUP}){7}$" $text }}
{{- $groups = splitList ":" $text }}
{{- else if regexMatch "^${GROUPS}::${GROUPS}$" $text }}
{{- $halves := splitList "::" $text }}
{{- $left := without (splitList ":" (index $halves 0)) "" }}
{{- $right := without (splitList ":" (index $halves 1)) "" }}
{{- $zeros := int (sub 8 (add (len $left) (len $right))) }}
{{- if gt $zeros 0 }}{{ $groups = concat $left (splitList "" (repeat $zeros "0")) $right }}{{ end }}
{{- end }}
{{- with $groups -}}
{{- $digits := dict ${DIGITS} -}}
6{{ range . }}{{ range splitList "" (printf "%4s" (lower .) | replace " " "0") }}{{ get $digits . }}{{ end }}{{ end }}
{{- end }}
{{- end }}

{{/* Family and binary digits of an address; nothing where the text is none. */}}
{{- define "cdk8s-ipam.bits" -}}
{{- if regexMatch "${IPV4}" . -}}4{{ include "cdk8s-ipam.octets" . }}
{{- else if contains ":" . -}}{{ include "cdk8s-ipam.groups" . }}
{{- end }}
{{- end }}

{{/* Text of an address, from family and binary digits. */}}
{{- define "cdk8s-ipam.address" -}}
{{- $size := ternary 8 16 (hasPrefix "4" .) }}
{{- $format := ternary "%d" "%x" (hasPrefix "4" .) }}
{{- $parts := list }}
{{- range regexFindAll (printf "[01]{%d}" $size) (substr 1 -1 .) -1 }}
{{- $value := 0 }}
{{- range splitList "" . }}{{ $value = add (mul 2 $value) (int .) }}{{ end }}
{{- $parts = append $parts (printf $format $value) }}
{{- end }}
{{- $text := join (ternary "." ":" (hasPrefix "4" .)) $parts }}
{{- if hasPrefix "6" . }}
{{- range list ${ZERO_RUNS} }}
{{- if and (not (contains "::" $text)) (regexMatch . $text) }}{{ $text = regexSplit . $text 2 | join "::" }}{{ end }}
{{- end }}
{{- end }}
{{- $text }}
{{- end }}

{{/* A prefix as JSON: its own digits, its first and its last address, or what is wrong with it. */}}
{{- define "${ADDRESS_HELPERS.prefix}" -}}
{{- $bits := include "cdk8s-ipam.bits" (regexFind "^[^/]*" .) }}
{{- $length := trimPrefix "/" (regexFind "/.*$" .) }}
{{- $most := ternary 32 128 (hasPrefix "4" $bits) }}
{{- if or (not $bits) (not (regexMatch "^(0|[1-9][0-9]{0,8})$" $length)) }}
{{- dict "problem" (printf "%q is not a prefix: network address and length are due, as in \\"192.0.2.0/24\\" or \\"2001:db8::/64\\"" .) | toJson }}
{{- else if gt (int $length) $most }}
{{- dict "problem" (printf "%q is not a prefix: length %q is outside 0 to %d for IPv%s" . $length $most (substr 0 1 $bits)) | toJson }}
{{- else }}
{{- $own := substr 0 (int (add1 (int $length))) $bits }}
{{- $rest := int (sub $most (int $length)) }}
{{- $first := printf "%s%s" $own (repeat $rest "0") }}
{{- if ne $first $bits }}
{{- dict "problem" (printf "%q has bits set after its length of %s; write \\"%s/%s\\"" . $length (include "cdk8s-ipam.address" $first) $length) | toJson }}
{{- else }}
{{- dict "bits" $own "length" (int $length) "first" $first "last" (printf "%s%s" $own (repeat $rest "1")) | toJson }}
{{- end }}
{{- end }}
{{- end }}

{{/* An address, a range or a prefix as JSON: its first and its last address, or what is wrong with it. */}}
{{- define "${ADDRESS_HELPERS.block}" -}}
{{- if contains "-" . }}
{{- $ends := regexSplit "[ \\t]*-[ \\t]*" . -1 }}
{{- $first := include "cdk8s-ipam.bits" (first $ends) }}
{{- $last := include "cdk8s-ipam.bits" (last $ends) }}
{{- if or (ne (len $ends) 2) (not $first) (not $last) }}
{{- dict "problem" (printf "%q is not a range: two addresses with one dash between them are due" .) | toJson }}
{{- else if ne (len $first) (len $last) }}
{{- dict "problem" (printf "%q mixes IPv%s and IPv%s; both ends of a range have one family" . (substr 0 1 $first) (substr 0 1 $last)) | toJson }}
{{- else if gt $first $last }}
{{- dict "problem" (printf "%q ends before it starts; write \\"%s-%s\\"" . (last $ends) (first $ends)) | toJson }}
{{- else }}
{{- dict "first" $first "last" $last | toJson }}
{{- end }}
{{- else if contains "/" . }}
{{- include "${ADDRESS_HELPERS.prefix}" . }}
{{- else }}
{{- $bits := include "cdk8s-ipam.bits" . }}
{{- ternary (dict "first" $bits "last" $bits) (dict "problem" (printf "%q is not an IP address, a range or a prefix" .)) (ne $bits "") | toJson }}
{{- end }}
{{- end }}

{{/* Why no Service can use an address; takes its digits. */}}
{{- define "${ADDRESS_HELPERS.unusable}" -}}
${unusable()}
{{- end }}
{{- end }}

{{/* Digits of the address after another one; nothing after the last one of its family. */}}
{{- define "${ADDRESS_HELPERS.next}" -}}
{{- $ones := regexFind "1*$" . }}
{{- $head := trimSuffix $ones . }}
{{- if hasSuffix "0" $head }}{{ printf "%s1%s" (trimSuffix "0" $head) (repeat (len $ones) "0") }}{{ end }}
{{- end }}
`;
