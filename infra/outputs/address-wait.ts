import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';

import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { ADDRESS_READY, IPAM, METALLB } from '../../operator/contract/group';
import { parseAddressList } from '../../operator/contract/service-annotations';
import { annotated, annotationsOf, SKIP_AWAIT, WAIT_FOR } from './awaiting';
import type { ResourceInputs } from './resource-classes';

/** With one of these the program itself tells MetalLB, and the operator's answer is not to be seen there. */
const TOLD = [METALLB.pool, METALLB.addresses, METALLB.legacyPool, METALLB.legacyAddresses] as const;
/** Zones that can be written in an expression. */
const ZONE = /^[-.a-z0-9]+$/u;
const MARK_LENGTH = 12;

// Without blanks: the provider's parser stumbles over some of them.
const all = (...tests: readonly string[]): string => tests.join('&&');
const any = (...tests: readonly string[]): string => `(${tests.map((test) => `(${test})`).join('||')})`;

const HAS_TWO = '$.spec.ipFamilies[1]';
const shown = (index: number): string => `$.status.loadBalancer.ingress[${String(index)}].ip`;
const ofEachFamily = (test: (index: number) => string): string => all(test(0), any(`!${HAS_TWO}`, test(1)));
// its interpreter falls over a text that is not there
const names = (text: string, part: string): string => all(text, part, `search(${text},${part})`);

// A filter looks at the children of what stands before it; of a Service, the metadata are the one with annotations.
const annotation = (key: string): string => `@.annotations['${key}']`;
const where = (...tests: readonly string[]): string => `jsonpath={$[?${all('@.annotations', ...tests)}]}`;
const GIVEN = annotation(METALLB.addresses);
// beside `spec.loadBalancerIP` the operator gives no addresses there
const whereGiven = (...choices: readonly string[]): string => where(any(`!${GIVEN}`, ...choices));

const NAMES_TWO = `search(${GIVEN},',')`;
const HAS_FAMILIES = whereGiven(all(HAS_TWO, NAMES_TWO), all(`!${HAS_TWO}`, `!${NAMES_TWO}`));
const IS_ANNOUNCED = whereGiven(ofEachFamily((index) => names(GIVEN, shown(index))));
// The condition is True while the status shows every address that is bound, and names them in its message. For some seconds after a change it
// may still be about the addresses before.
const TELLS = all(`@.type=='${ADDRESS_READY}'`, "@.status=='True'");
const IS_BOUND = `jsonpath={.status.conditions[?${all(
  TELLS,
  ofEachFamily((index) => names('@.message', shown(index))),
)}]}`;

type Texts = Readonly<Record<string, string>>;

/** Stands for the mark until it is known what the Service says, Outputs included. */
const MARK = '<mark>';

// Keys in order, since Outputs that are maps come in any.
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, inOrder(inner)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const digestOf = (said: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(said)))
    .digest('hex')
    .slice(0, MARK_LENGTH);

function hasOutput(value: unknown): boolean {
  if (pulumi.Output.isInstance(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasOutput);
}

/** Inputs of a Service as far as the mark is made of them. */
interface ServiceInputs {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>>; readonly labels?: unknown };
  readonly spec?: unknown;
}

/**
 * Puts the mark of what a Service says into the expressions that look for it: spec, labels and annotations, with the values of
 * Outputs. So the provider waits for the object of this very update, and reads no Output from the one before.
 *
 * @param inputs - of any resource
 * @returns inputs of a Service that is waited for with its mark; others as they are
 */
export function markedInputs(inputs: ResourceInputs): ResourceInputs {
  const { metadata, spec } = inputs as ServiceInputs;
  const { [WAIT_FOR]: text, ...annotations } = metadata?.annotations ?? {};
  if (typeof text !== 'string' || !text.includes(MARK)) return inputs;
  const said = { annotations, labels: metadata?.labels, spec };
  const marked = (value: unknown): string => text.replaceAll(MARK, digestOf(value));
  const waitFor = hasOutput(said) ? pulumi.output(said).apply(marked) : marked(said);
  const withMark: ServiceInputs = { metadata: { ...metadata, annotations: { ...annotations, [WAIT_FOR]: waitFor } } };
  return { ...inputs, ...withMark } as ResourceInputs;
}

const escaped = (address: string): string => address.replaceAll('.', '[.]');

function answerTo({ [IPAM.zone]: zone = '', [IPAM.addresses]: list = '' }: Texts): readonly string[] {
  const inZone = ZONE.test(zone) ? [`jsonpath={.metadata.annotations['${METALLB.pool}']}=${zone}`] : [];
  const wished = parseAddressList(list, IPAM.addresses);
  const addresses = wished.ok ? wished.value.map(String) : [];
  const named = addresses.map((address) => whereGiven(`match(${GIVEN},'(.*,)?${escaped(address)}(,.*)?')`));
  return [...inZone, ...named, HAS_FAMILIES, IS_ANNOUNCED];
}

// The provider looks first at what a cache of the API server has, which may be the Service from before the update, with the condition
// of the state before. And an operator that could not be asked at admission answers later. So everything has to be there in one
// object: the wish, the operator's answer to it, its record of the answer, and MetalLB's word.
function readiness(object: ApiManifest): string {
  const annotations = annotationsOf(object);
  const isTold = TOLD.some((key) => annotations[key] !== undefined);
  return JSON.stringify([
    where(annotation(WAIT_FOR), `search(${annotation(WAIT_FOR)},'wish ${MARK}')`),
    `condition=${ADDRESS_READY}`,
    ...(isTold ? [] : answerTo(annotations)),
    IS_BOUND,
  ]);
}

/**
 * Tells the provider of Kubernetes how to wait for the addresses of a Service. Its own waiting also needs endpoints, so an address
 * would wait for Pods that may need it.
 *
 * @param object - any object; all but Services stay as they are, and a Service that says itself how to wait
 * @param waits - whether to wait at all
 * @returns the object with an annotation for the provider
 */
export function awaitingAddresses(object: ApiManifest, waits: boolean): ApiManifest {
  if (object.kind !== 'Service') return object;
  const annotations = annotationsOf(object);
  if (annotations[WAIT_FOR] !== undefined || annotations[SKIP_AWAIT] !== undefined) return object;
  return annotated(object, waits ? { [WAIT_FOR]: readiness(object) } : { [SKIP_AWAIT]: 'true' });
}
