import { Type } from '@sinclair/typebox';

import { familyBits } from '../../addressing/address';
import { parseAddressWithMask } from '../../addressing/prefix';
import type { KindDeclaration } from '../crd-manifest';
import { parseSegment } from '../group-space';
import type { LabelExpression, LabelSelector } from '../label-selector';
import type { PrefixKind } from '../networks/entry';
import { MAX_NAME_LENGTH } from '../vocabulary';

/** Parts that the kinds of the Networks door share. */

/** Every kind of an IPPrefix. */
const PREFIX_KINDS: readonly PrefixKind[] = ['network', 'loopback', 'pool', 'aggregate'];

/**
 * Tells the kinds of prefixes from every other value.
 *
 * @param value - anything that JSON can hold
 * @returns true for one of the four words
 */
export function isPrefixKind(value: unknown): value is PrefixKind {
  return PREFIX_KINDS.some((kind) => kind === value);
}

/**
 * Declares the kind of a prefix, `network` where an author leaves it out.
 *
 * @returns the schema
 */
export function prefixKind() {
  return Type.Optional(
    Type.Unsafe<PrefixKind>({
      type: 'string',
      enum: [...PREFIX_KINDS],
      default: 'network',
      description: 'Kind of the prefix: a subnet with its addresses, loopback addresses, a pool, or an aggregate',
    }),
  );
}

/**
 * Declares a selector of entries. Values are longer than those of labels, since names of objects are selected too, and replaced as a whole.
 *
 * @returns the schema
 */
export function entrySelector() {
  const operator = Type.Unsafe<LabelExpression['operator']>({
    type: 'string',
    enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
    description: 'How the label is compared with the values',
  });
  const expression = Type.Object({
    key: Type.String({ minLength: 1, maxLength: 316, description: 'Key of the label' }),
    operator,
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: MAX_NAME_LENGTH }), {
        maxItems: 32,
        description: 'Values for In and NotIn',
      }),
    ),
  });
  const matchLabels = Type.Unsafe<NonNullable<LabelSelector['matchLabels']>>({
    type: 'object',
    maxProperties: 32,
    additionalProperties: { type: 'string', maxLength: MAX_NAME_LENGTH },
    description: 'Labels that must have exactly these values; nephio.org/network-instance names the NetworkInstance',
  });
  return Type.Object(
    {
      matchLabels: Type.Optional(matchLabels),
      matchExpressions: Type.Optional(
        Type.Array(expression, { maxItems: 16, description: 'Further conditions, all of which must hold' }),
      ),
    },
    { description: 'Chooses what is given from, by labels', 'x-kubernetes-map-type': 'atomic' },
  );
}

/** An object with a prefix. */
interface Prefixed {
  readonly spec: { readonly kind?: PrefixKind; readonly prefix?: string };
}

function cidrOf({ spec }: Prefixed) {
  const parsed = spec.prefix === undefined ? undefined : parseAddressWithMask(spec.prefix);
  return parsed?.ok === true ? parsed.value : undefined;
}

function hasHostBits(now: Prefixed): boolean {
  const cidr = cidrOf(now);
  return cidr !== undefined && !cidr.network.first.equals(cidr.address);
}

function isOneAddress(now: Prefixed): boolean {
  const network = cidrOf(now)?.network;
  return network?.length === familyBits(network?.family ?? 4);
}

/** Rules of `spec.prefix` beside `spec.kind`. */
export const PREFIX_RULES: KindDeclaration<Prefixed>['rules'] = [
  {
    at: ['spec', 'prefix'],
    field: 'spec.prefix',
    rule: 'isCIDR(self)',
    message: 'must be a prefix in CIDR notation, such as 10.0.1.0/24 or 2001:db8::/64',
    broken: ({ spec }) => spec.prefix !== undefined && !parseSegment(spec.prefix).ok,
  },
  {
    at: ['spec'],
    field: 'spec.prefix',
    rule: "self.kind == 'network' || !has(self.prefix) || !isCIDR(self.prefix) || cidr(self.prefix).masked() == cidr(self.prefix)",
    message: 'must have no bits set after its length; only kind network takes an address with the length of its subnet',
    broken: (now) => (now.spec.kind ?? 'network') !== 'network' && hasHostBits(now),
  },
  {
    at: ['spec'],
    field: 'spec.prefix',
    rule: "self.kind == 'loopback' || !has(self.prefix) || !isCIDR(self.prefix) || cidr(self.prefix).prefixLength() < (cidr(self.prefix).ip().family() == 4 ? 32 : 128)",
    message: 'must be larger than one address; only kind loopback takes /32 or /128',
    broken: (now) => now.spec.kind !== 'loopback' && isOneAddress(now),
  },
];
