import type { ApiObject } from 'cdk8s';

import { parseHostPrefix } from '../../operator/addressing/prefix';
import { DEFAULT_SECRET } from '../../operator/contract/group';
import { readService, type ServiceView } from '../../operator/contract/service';
import type { Refusal } from '../../operator/errors/outcome';
import { sharingProblem, type Sharer } from '../../operator/rules/sharing';
import type { IpamServiceProps, SharedTerms } from './ipam-service-props';

/** Props that a joining Service takes over where it does not give them. */
const SHARED = [
  'zone',
  'addresses',
  'ipFamily',
  'ipFamilies',
  'ipFamilyPolicy',
  'secret',
  'allowLocalSharedIp',
  'externalTrafficPolicy',
] as const satisfies readonly (keyof SharedTerms & keyof IpamServiceProps)[];

/**
 * Fills in what a Service takes over from the one whose address it joins.
 *
 * @param props - of the joining Service
 * @returns the props with everything that both say alike
 */
export function withJoined(props: IpamServiceProps): IpamServiceProps {
  if (props.joins === undefined) return props;
  const terms = props.joins.sharedTerms;
  const taken = SHARED.filter((key) => props[key] === undefined && terms[key] !== undefined);
  return { ...props, ...Object.fromEntries(taken.map((key) => [key, terms[key]])) };
}

/**
 * Gives what another Service needs to join this one.
 *
 * @param props - of this Service, secret and joined terms resolved
 * @param service - its object
 * @returns what both have to say alike
 */
export function sharedTermsOf(props: IpamServiceProps, service: ApiObject): SharedTerms {
  const said = SHARED.filter((key) => props[key] !== undefined);
  return { ...(Object.fromEntries(said.map((key) => [key, props[key]])) as Partial<SharedTerms>), service };
}

const refused = (text: string): Refusal => ({ code: 'sharing/refused', field: 'joins', message: `joins: ${text}` });

// Addresses are compared as values; what cannot be read is reported where it stands.
function addressesOf({ addresses = [] }: Pick<SharedTerms, 'addresses'>): string {
  const texts = addresses.map((text) => {
    const parsed = parseHostPrefix(text);
    return parsed.ok ? parsed.value.toString() : text;
  });
  return texts.toSorted().join(',') || 'none';
}

/** Fields that must be the same on both; the rest is judged by the rules of sharing. */
const SAME = {
  zone: ({ zone }: SharedTerms) => zone ?? 'the default zone',
  addresses: addressesOf,
  secret: ({ secret }: SharedTerms) => secret ?? DEFAULT_SECRET,
} as const;

/**
 * Describes a Service for the rules of sharing.
 *
 * @param view - the object
 * @param key - MetalLB's sharing key, where it has one
 * @returns what is known of it at synth
 */
export function sharerOf(view: ServiceView, key: string | undefined): Sharer {
  const { ports, trafficPolicy, selector } = view;
  return {
    label: labelOf(view),
    // no UIDs exist at synth; the chart's app is one cluster here, and a namespace is known by its name
    place: { namespaceUid: view.namespace, clusterUid: 'cluster' },
    terms: { key: key ?? '', ports, trafficPolicy, selector },
  };
}

const labelOf = ({ namespace, name }: ServiceView): string => (namespace === '' ? name : `${namespace}/${name}`);

/**
 * Checks by the rules of the webhook whether a Service may share the address of another one.
 *
 * @param props - of the joining Service, everything taken over
 * @param service - its object
 * @returns what stands in the way, the other Service named
 */
export function joinProblems(props: IpamServiceProps, service: ApiObject): readonly Refusal[] {
  if (props.joins === undefined) return [];
  const terms = props.joins.sharedTerms;
  const [mine, theirs] = [service, terms.service].map((object) => readService(object.toJson()));
  if (mine === undefined || theirs === undefined) return [];
  const other = `"${labelOf(theirs)}"`;
  const own = sharedTermsOf(props, service);
  const apart = Object.entries(SAME).flatMap(([key, textOf]) => {
    const [here, there] = [textOf(own), textOf(terms)];
    return here === there
      ? []
      : [refused(`${key} is ${here} here and ${there} on ${other}; leave it out, it is taken over`)];
  });
  const unfixed = (terms.addresses ?? []).length === 0;
  const foreign = mine.namespace !== theirs.namespace && [undefined, DEFAULT_SECRET].includes(props.secret);
  const judged = sharingProblem(sharerOf(mine, props.allowLocalSharedIp), sharerOf(theirs, terms.allowLocalSharedIp));
  return [
    ...(unfixed
      ? [refused(`${other} asks for no fixed address, so its address is not known here; give it addresses`)]
      : []),
    ...apart,
    ...(foreign
      ? [
          refused(
            `${other} is in another namespace, where the cluster's default secret proves nothing; give both the same secret`,
          ),
        ]
      : []),
    ...(judged === undefined ? [] : [refused(judged.text)]),
  ];
}
