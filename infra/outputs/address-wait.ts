import { createHash } from 'node:crypto';

import { lateBoundProblems } from '../../constructs/props-kit/placeholder';
import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { ADDRESS_READY, IPAM, METALLB } from '../../operator/contract/group';
import { parseAddressList } from '../../operator/contract/service-annotations';
import { annotated, annotationsOf, SKIP_AWAIT, WAIT_FOR } from './awaiting';

/** With one of these the program itself tells MetalLB, and the operator's answer is not to be seen there. */
const TOLD = [METALLB.pool, METALLB.addresses, METALLB.legacyPool, METALLB.legacyAddresses] as const;
/** Keys that decide which addresses a Service has. */
const WISHES = [IPAM.zone, IPAM.addresses, IPAM.ipFamily, ...TOLD] as const;
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

// what is late-bound has another text in each run
const plainText = (text: string | undefined): string | null =>
  text === undefined || lateBoundProblems(text, '').length > 0 ? null : text;

// The expressions hold the mark that they look for, so that the Service needs no further annotation.
function markOf(object: ApiManifest): string {
  const annotations = annotationsOf(object);
  const { ipFamilies, ipFamilyPolicy } = object['spec'] as Readonly<Record<string, unknown>>;
  const wish = [WISHES.map((key) => plainText(annotations[key])), ipFamilies, ipFamilyPolicy];
  return createHash('sha256').update(JSON.stringify(wish)).digest('hex').slice(0, MARK_LENGTH);
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
// of the wish before. And an operator that could not be asked at admission answers later. So everything has to be there in one
// object: the wish, the operator's answer to it, its record of the answer, and MetalLB's word.
function readiness(object: ApiManifest): string {
  const annotations = annotationsOf(object);
  const isTold = TOLD.some((key) => annotations[key] !== undefined);
  return JSON.stringify([
    where(annotation(WAIT_FOR), `search(${annotation(WAIT_FOR)},'wish ${markOf(object)}')`),
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
