import { Type, type Static } from '@sinclair/typebox';

import type { Refusal } from '../../errors/outcome';
import { celText } from '../cel-text';
import type { KindDeclaration } from '../crd-manifest';
import type { LabelSelector } from '../label-selector';
import { NEPHIO, NEPHIO_GROUP } from '../nephio';
import { KindValidator } from '../validator';
import { choice, cidrText, conditionsByKind, dnsName, MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH, text } from '../vocabulary';
import { expressionRule } from './expression-rule';
import { entrySelector, PREFIX_RULES, prefixKind } from './network-parts';

const ownerRef = Type.Object(
  {
    apiVersion: text(MAX_NAME_LENGTH, 'API group and version of the owner'),
    kind: text(63, 'Kind of the owner'),
    name: dnsName(MAX_NAME_LENGTH, 'Name of the owner'),
  },
  { description: 'Object of the same namespace with which the allocation ends' },
);

const spec = Type.Object(
  {
    kind: prefixKind(),
    addressFamily: Type.Optional(
      choice(['ipv4', 'ipv6'], 'Family of the result; by default the one that a match has, IPv4 before IPv6'),
    ),
    prefix: Type.Optional(cidrText('Prefix that is asked for; by default a free one is chosen')),
    prefixLength: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 128,
        description: 'Length of the prefix that is chosen, for kinds pool and loopback; one address by default',
      }),
    ),
    selector: Type.Optional(entrySelector()),
    ownerRef: Type.Optional(ownerRef),
  },
  { description: 'Request for an address or a prefix' },
);

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the status is about' }),
    ),
    conditions: Type.Optional(conditionsByKind()),
    prefix: Type.Optional(cidrText('What was given')),
    gateway: Type.Optional(
      Type.String({ maxLength: MAX_ADDRESS_LENGTH, description: 'Gateway of the subnet; kind network only' }),
    ),
    parentPrefix: Type.Optional(cidrText('Prefix that it was given from')),
  },
  { description: 'What was given' },
);

/** Spec of an IPAllocation. */
type IpAllocationSpec = Static<typeof spec>;

/** One IPAllocation, of the right shape. */
export interface IpAllocationObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: IpAllocationSpec;
  readonly status?: Static<typeof status>;
}

const condition = (kind: string): string => `.status.conditions[?(@.kind=="${kind}")].status`;

const INSTANCE = celText(NEPHIO.networkInstance);
const labelOf = (of: string): string => `${of}.selector.matchLabels[${INSTANCE}]`;
const hasLabel = (of: string): string =>
  `has(${of}.selector) && has(${of}.selector.matchLabels) && ${INSTANCE} in ${of}.selector.matchLabels`;
const HAS_EXPRESSION = `has(self.selector) && has(self.selector.matchExpressions) && self.selector.matchExpressions.exists(e, e.key == ${INSTANCE} && e.operator == 'In')`;

const instanceLabel = (of: LabelSelector | undefined): string | undefined => of?.matchLabels?.[NEPHIO.networkInstance];

function namesInstance(of: LabelSelector): boolean {
  const inExpression = (of.matchExpressions ?? []).some(
    ({ key, operator }) => key === NEPHIO.networkInstance && operator === 'In',
  );
  return instanceLabel(of) !== undefined || inExpression;
}

function movesInstance(now: IpAllocationObject, before?: IpAllocationObject): boolean {
  const [old, wanted] = [instanceLabel(before?.spec.selector), instanceLabel(now.spec.selector)];
  return old !== undefined && wanted !== undefined && old !== wanted;
}

/** A request for an address or a prefix of a NetworkInstance. */
export const IP_ALLOCATION: KindDeclaration<IpAllocationObject> = {
  group: NEPHIO_GROUP,
  version: 'v1alpha1',
  kind: 'IPAllocation',
  plural: 'ipallocations',
  singular: 'ipallocation',
  shortNames: [],
  categories: ['nephio', 'ipam'],
  scope: 'Namespaced',
  description: 'A request for an address or a prefix of a NetworkInstance; the result stands in the status.',
  spec,
  status,
  columns: [
    { name: 'SYNC', type: 'string', jsonPath: condition('Synced'), description: 'Whether the object was worked' },
    { name: 'STATUS', type: 'string', jsonPath: condition('Ready'), description: 'Whether it has what it asked for' },
    { name: 'KIND', type: 'string', jsonPath: '.spec.kind', description: 'Kind of the prefix' },
    { name: 'AF', type: 'string', jsonPath: '.spec.addressFamily', description: 'Family' },
    { name: 'PREFIXLENGTH', type: 'integer', jsonPath: '.spec.prefixLength', description: 'Length as asked for' },
    { name: 'PREFIX-REQ', type: 'string', jsonPath: '.spec.prefix', description: 'Prefix as asked for' },
    { name: 'PREFIX-ALLOC', type: 'string', jsonPath: '.status.prefix', description: 'What was given' },
    { name: 'GATEWAY', type: 'string', jsonPath: '.status.gateway', description: 'Gateway of the subnet' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
    { name: 'PARENT', type: 'string', jsonPath: '.status.parentPrefix', description: 'Given from', priority: 1 },
    {
      name: 'REASON',
      type: 'string',
      jsonPath: '.status.conditions[?(@.kind=="Accepted")].reason',
      description: 'Why it waits or was refused',
      priority: 1,
    },
  ],
  rules: [
    ...PREFIX_RULES,
    {
      at: ['spec'],
      field: 'spec.selector',
      rule: `(${hasLabel('self')}) || (${HAS_EXPRESSION})`,
      message: `must name the NetworkInstance by the label ${NEPHIO.networkInstance}`,
      broken: ({ spec: of }) => !namesInstance(of.selector ?? {}),
    },
    {
      at: ['spec'],
      field: 'spec.selector',
      rule: `!(${hasLabel('self')}) || !(${hasLabel('oldSelf')}) || ${labelOf('self')} == ${labelOf('oldSelf')}`,
      message: `must name the NetworkInstance with which it was created; make a new IPAllocation for another one`,
      broken: movesInstance,
    },
    expressionRule('spec.selector', ({ spec: of }) => of.selector),
    {
      at: ['spec'],
      field: 'spec.prefixLength',
      rule: "!has(self.prefixLength) || (self.kind != 'network' && !has(self.prefix))",
      message: 'must be left out for kind network, which gives single addresses, and beside spec.prefix',
      broken: ({ spec: { kind = 'network', prefix, prefixLength } }) =>
        prefixLength !== undefined && (kind === 'network' || prefix !== undefined),
    },
    {
      at: ['spec'],
      field: 'spec.prefixLength',
      rule: "!has(self.prefixLength) || !has(self.addressFamily) || self.addressFamily != 'ipv4' || self.prefixLength <= 32",
      message: 'must be at most 32 with the family ipv4',
      broken: ({ spec: { addressFamily, prefixLength = 0 } }) => addressFamily === 'ipv4' && prefixLength > 32,
    },
    {
      at: ['spec'],
      field: 'spec.prefix',
      rule: "self.kind != 'aggregate' || has(self.prefix)",
      message: 'must be given for kind aggregate, of which none is chosen',
      broken: ({ spec: { kind, prefix } }) => kind === 'aggregate' && prefix === undefined,
    },
  ],
};

const validator = new KindValidator(IP_ALLOCATION, 'request/invalid');

/**
 * Checks an IPAllocation as the API server does; unknown fields, which the API server would drop, are refused as well.
 *
 * @param object - the whole object
 * @param before - the stored one, on an update
 * @returns every problem with its path; empty when it is valid
 */
export function ipAllocationProblems(object: unknown, before?: IpAllocationObject): readonly Refusal[] {
  return validator.problems(object, before);
}
