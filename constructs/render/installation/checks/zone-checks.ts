import { WAITING_POOL } from '../../../../operator/contract/group';
import { ADDRESS_HELPERS } from './address-helpers';

/** Named template that lists what is wrong with the zones. */
export const ZONE_PROBLEMS = 'cdk8s-ipam.zoneProblems';

// What the operator would say when it reads the document, and what the constructs say about pools, as far as templates can
// tell. Each template gives JSON.
const ONE_ZONE = `{{/* Conditions of label selectors; takes a path and the conditions. */}}
{{- define "cdk8s-ipam.selectorProblems" -}}
{{- $path := index . 0 }}
{{- $problems := list }}
{{- range $i, $one := index . 1 }}
{{- $at := printf "%s.matchExpressions[%d]" $path $i }}
{{- $wants := has $one.operator (list "In" "NotIn") }}
{{- if and $wants (not $one.values) }}
{{- $problems = append $problems (printf "%s: operator %s needs at least one entry in values" $at $one.operator) }}
{{- else if and (not $wants) $one.values }}
{{- $problems = append $problems (printf "%s: operator %s takes no values" $at $one.operator) }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* Prefixes of a zone and what is wrong with them; takes path and zone. */}}
{{- define "cdk8s-ipam.zonePrefixes" -}}
{{- $path := index . 0 }}
{{- $zone := index . 1 }}
{{- $problems := list }}
{{- $prefixes := list }}
{{- if and $zone.fromNetBox $zone.prefixes }}
{{- $problems = append $problems (printf "%s.prefixes: must be empty, since the prefixes come from NetBox; leave out one of both" $path) }}
{{- else if not (or $zone.fromNetBox $zone.prefixes) }}
{{- $problems = append $problems (printf "%s.prefixes: must not be empty" $path) }}
{{- end }}
{{- range $i, $text := $zone.prefixes }}
{{- $at := printf "%s.prefixes[%d]" $path $i }}
{{- $prefix := include "${ADDRESS_HELPERS.prefix}" $text | fromJson }}
{{- if $prefix.problem }}
{{- $problems = append $problems (printf "%s: %s" $at $prefix.problem) }}
{{- else }}
{{- $where := dict "text" $text "path" $at "zone" $zone.name "network" ($zone.network | default "default") }}
{{- $prefixes = append $prefixes (merge $where $prefix) }}
{{- with include "${ADDRESS_HELPERS.unusable}" $prefix.first | default (include "${ADDRESS_HELPERS.unusable}" $prefix.last) }}
{{- $problems = append $problems (printf "%s: %q holds addresses that no Service can use (%s)" $at $text .) }}
{{- end }}
{{- end }}
{{- end }}
{{- dict "problems" $problems "prefixes" $prefixes | toJson }}
{{- end }}

{{/* What is wrong with the excluded blocks of a zone; takes path, zone and prefixes. */}}
{{- define "cdk8s-ipam.excludedProblems" -}}
{{- $path := index . 0 }}
{{- $zone := index . 1 }}
{{- $prefixes := index . 2 }}
{{- $problems := list }}
{{- $blocks := list }}
{{- $known := list }}
{{- range $prefixes }}{{ $known = append $known .text }}{{ end }}
{{- range $i, $text := $zone.excluded }}
{{- $at := printf "%s.excluded[%d]" $path $i }}
{{- $block := include "${ADDRESS_HELPERS.block}" $text | fromJson }}
{{- if $block.problem }}
{{- $problems = append $problems (printf "%s: %s" $at $block.problem) }}
{{- else }}
{{- $blocks = append $blocks (printf "%s %s" $block.first $block.last) }}
{{- $touches := false }}
{{- range $prefixes }}{{ if and (le .first $block.last) (le $block.first .last) }}{{ $touches = true }}{{ end }}{{ end }}
{{- if and $prefixes (not $touches) }}
{{- $problems = append $problems (printf "%s: %q lies in no prefix of the zone (%s), so it excludes nothing" $at $text (join ", " $known)) }}
{{- end }}
{{- end }}
{{- end }}
{{- $free := not $blocks }}
{{- range $prefixes }}
{{- $next := .first }}
{{- range sortAlpha $blocks }}
{{- $ends := splitList " " . }}
{{- if and $next (le (index $ends 0) $next) (ge (index $ends 1) $next) }}{{ $next = include "${ADDRESS_HELPERS.next}" (index $ends 1) }}{{ end }}
{{- end }}
{{- if and $next (le $next .last) }}{{ $free = true }}{{ end }}
{{- end }}
{{- if and $prefixes (not $free) }}
{{- $problems = append $problems (printf "%s.excluded: every address of the zone (%s) is excluded, so it could give none; exclude less" $path (join ", " $known)) }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;

const ADVERTISEMENTS = `
{{/* What is wrong with a BGP advertisement; takes root, path, settings and prefixes of the zone. */}}
{{- define "cdk8s-ipam.bgpProblems" -}}
{{- $root := index . 0 }}
{{- $path := index . 1 }}
{{- $bgp := index . 2 }}
{{- $problems := list }}
{{- $prefixes := index . 3 }}
{{- range $key, $most := dict "aggregationLength" 32 "aggregationLengthV6" 128 }}
{{- $length := int (get $bgp $key | default $most) }}
{{- $family := ternary "4" "6" (eq $most 32) }}
{{- $at := printf "%s.%s" $path $key }}
{{- $small := dict }}
{{- range $prefixes }}
{{- if and (not $small) (hasPrefix $family .bits) (gt (int .length) $length) }}{{ $small = . }}{{ end }}
{{- end }}
{{- if $small }}
{{- $problems = append $problems (printf "%s: %d is shorter than %q (%s), whose largest block is a /%d; MetalLB then refuses all its pools, allowed is %d to %d" $at $length $small.text $small.path (int $small.length) (int $small.length) $most) }}
{{- end }}
{{- if and (eq $root.Values.zonePools "claims") (lt $length $most) }}
{{- $problems = append $problems (printf "%s: zonePools \\"claims\\" makes pools of single addresses, which MetalLB does not aggregate; leave it out" $at) }}
{{- end }}
{{- end }}
{{- range $i, $community := $bgp.communities }}
{{- $most := ternary 4294967295 65535 (hasPrefix "large:" $community) }}
{{- range regexFindAll ":?[0-9]+(:|$)" (ternary $community "" (contains ":" $community)) -1 }}
{{- if gt (atoi (trimAll ":" .)) $most }}
{{- $problems = append $problems (printf "%s.communities[%d]: %q is not a BGP community; each number is 0 to %d" $path $i $community $most) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* BGP advertisements that give the same routes different preferences; takes path, list and prefixes of the zone. */}}
{{- define "cdk8s-ipam.localPrefProblems" -}}
{{- $path := index . 0 }}
{{- $all := index . 1 }}
{{- $families := dict }}
{{- range index . 2 }}{{ $_ := set $families (substr 0 1 .bits) true }}{{ end }}
{{- $problems := list }}
{{- range $j, $b := $all }}
{{- range $i, $a := $all }}
{{- $first := int64 ($a.localPref | default 0) }}
{{- $second := int64 ($b.localPref | default 0) }}
{{- if and (lt $i $j) (ne $first $second) }}
{{- $v4 := eq (int ($a.aggregationLength | default 32)) (int ($b.aggregationLength | default 32)) }}
{{- $v6 := eq (int ($a.aggregationLengthV6 | default 128)) (int ($b.aggregationLengthV6 | default 128)) }}
{{- $lengths := or (and (hasKey $families "4") $v4) (and (hasKey $families "6") $v6) }}
{{- $peers := or (not $a.peers) (not $b.peers) }}
{{- range $a.peers }}{{ if has . ($b.peers | default list) }}{{ $peers = true }}{{ end }}{{ end }}
{{- $nodes := eq (toJson ($a.nodeSelectors | default list)) (toJson ($b.nodeSelectors | default list)) }}
{{- if and $lengths $peers $nodes }}
{{- $problems = append $problems (printf "%s[%d].localPref: %d is not possible, since %s[%d] tells the same peers %d for the same routes; give both one value, or other peers or aggregation lengths" $path $j $second $path $i $first) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* What is wrong with the advertisements of a zone; takes root, path, zone and prefixes. */}}
{{- define "cdk8s-ipam.advertisementProblems" -}}
{{- $root := index . 0 }}
{{- $path := index . 1 }}
{{- $zone := index . 2 }}
{{- $prefixes := index . 3 }}
{{- $problems := list }}
{{- range $kind := list "l2" "bgp" }}
{{- if and (hasKey $zone $kind) (hasKey $zone "advertise") (not (has $zone.advertise (list $kind "both"))) }}
{{- $problems = append $problems (printf "%s.%s: advertise is %q, so these settings have no effect; leave one of the two out" $path $kind $zone.advertise) }}
{{- end }}
{{- range $i, $settings := get $zone $kind | default list }}
{{- range $j, $selector := $settings.nodeSelectors }}
{{- $at := printf "%s.%s[%d].nodeSelectors[%d]" $path $kind $i $j }}
{{- $problems = concat $problems (include "cdk8s-ipam.selectorProblems" (list $at $selector.matchExpressions) | fromJsonArray) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $i, $settings := $zone.bgp }}
{{- $problems = concat $problems (include "cdk8s-ipam.bgpProblems" (list $root (printf "%s.bgp[%d]" $path $i) $settings $prefixes) | fromJsonArray) }}
{{- end }}
{{- $problems = concat $problems (include "cdk8s-ipam.localPrefProblems" (list (printf "%s.bgp" $path) ($zone.bgp | default list) $prefixes) | fromJsonArray) }}
{{- toJson $problems }}
{{- end }}
`;

// Sorted, a prefix can only overlap the widest one before it, since two prefixes are nested or apart.
const ALL_ZONES = `
{{/* Prefixes that share addresses; takes all of them, and whether only those of one network count. */}}
{{- define "cdk8s-ipam.overlaps" -}}
{{- $prefixes := index . 0 }}
{{- $within := index . 1 }}
{{- $keys := list }}
{{- range $i, $prefix := $prefixes }}
{{- $keys = append $keys (printf "%s %s %09d" (ternary $prefix.network "" $within) $prefix.bits $i) }}
{{- end }}
{{- $problems := list }}
{{- $widest := dict "bits" "none" }}
{{- range sortAlpha $keys }}
{{- $one := index $prefixes (atoi (splitList " " . | last)) }}
{{- $same := or (not $within) (eq $one.network $widest.network) }}
{{- if not (and (hasPrefix $widest.bits $one.bits) $same) }}
{{- $widest = $one }}
{{- else if not $within }}
{{- $problems = append $problems (printf "%q of zone %q (network %q) overlaps %q of zone %q (network %q); the MetalLB of one cluster cannot hold both, use two clusters or other prefixes" $one.text $one.zone $one.network $widest.text $widest.zone $widest.network) }}
{{- else if eq $one.zone $widest.zone }}
{{- $problems = append $problems (printf "%s: %q overlaps %q of the same zone (%s); keep one of them" $one.path $one.text $widest.text $widest.path) }}
{{- else }}
{{- $problems = append $problems (printf "%s: %q of zone %q overlaps %q of zone %q (%s) in network %q; zones of one network share no address" $one.path $one.text $one.zone $widest.text $widest.zone $widest.path $one.network) }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* Zones of which this cluster can use nothing; takes root and all prefixes. */}}
{{- define "cdk8s-ipam.familyProblems" -}}
{{- $families := (index . 0).Values.clusterFamilies }}
{{- $usable := dict }}
{{- range index . 1 }}
{{- if has (printf "IPv%s" (substr 0 1 .bits)) $families }}{{ $_ := set $usable .zone true }}{{ end }}
{{- end }}
{{- $problems := list }}
{{- range (index . 0).Values.zones }}
{{- if not (or .fromNetBox (hasKey $usable .name)) }}
{{- $problems = append $problems (printf "zone %q has no prefix that this cluster can use: clusterFamilies is %s; add a prefix or remove the zone" .name (join " and " $families)) }}
{{- end }}
{{- end }}
{{- toJson $problems }}
{{- end }}

{{/* What is wrong with the zones; takes the root. */}}
{{- define "${ZONE_PROBLEMS}" -}}
{{- $root := . }}
{{- $problems := list }}
{{- $prefixes := list }}
{{- $names := dict }}
{{- if and (not .Values.zones) (ne .Values.store.kind "objects") }}
{{- $problems = append $problems "zones: must not be empty" }}
{{- end }}
{{- range $i, $zone := .Values.zones }}
{{- $path := printf "zones[%d]" $i }}
{{- if eq $zone.name "${WAITING_POOL}" }}
{{- $problems = append $problems (printf "%s.name: %q is reserved: Services that wait name this MetalLB pool, which must not exist" $path $zone.name) }}
{{- end }}
{{- if and $zone.fromNetBox (not $root.Values.netbox.url) }}
{{- $problems = append $problems (printf "%s.fromNetBox: true is not possible without netbox.url; give it, or list the prefixes of the zone" $path) }}
{{- end }}
{{- with get $names $zone.name }}
{{- $problems = append $problems (printf "%s.name: %q is already the name of another zone (%s.name); names are unique" $path $zone.name .) }}
{{- else }}
{{- $_ := set $names $zone.name $path }}
{{- end }}
{{- $read := include "cdk8s-ipam.zonePrefixes" (list $path $zone) | fromJson }}
{{- $prefixes = concat $prefixes $read.prefixes }}
{{- $excluded := include "cdk8s-ipam.excludedProblems" (list $path $zone $read.prefixes) | fromJsonArray }}
{{- $conditions := (default dict $zone.namespaces).matchExpressions }}
{{- $selector := include "cdk8s-ipam.selectorProblems" (list (printf "%s.namespaces" $path) $conditions) | fromJsonArray }}
{{- $told := include "cdk8s-ipam.advertisementProblems" (list $root $path $zone $read.prefixes) | fromJsonArray }}
{{- $problems = concat $problems $read.problems $excluded $selector $told }}
{{- end }}
{{- $problems = concat $problems (include "cdk8s-ipam.overlaps" (list $prefixes true) | fromJsonArray) }}
{{- with .Values.services.defaultZone }}
{{- if not (hasKey $names .) }}
{{- $known := list }}
{{- range $root.Values.zones }}{{ $known = append $known .name }}{{ end }}
{{- $problems = append $problems (printf "services.defaultZone: no zone is named %q; the zones are %s" . (uniq $known | join ", ")) }}
{{- end }}
{{- end }}
{{- if and .Values.services.enabled (not $problems) }}
{{- $problems = include "cdk8s-ipam.overlaps" (list $prefixes false) | fromJsonArray }}
{{- $problems = concat (include "cdk8s-ipam.familyProblems" (list $root $prefixes) | fromJsonArray) $problems }}
{{- end }}
{{- toJson $problems }}
{{- end }}
`;

/** Templates that check zones, one by one and together. */
export const ZONE_CHECKS_TPL = ONE_ZONE + ADVERTISEMENTS + ALL_ZONES;
