import type { Address, Family } from '../addressing/address';
import { IPAM } from '../contract/group';
import type { IpFamilyPolicy, ServiceView } from '../contract/service';
import { annotationPath, type IpFamilyWish } from '../contract/service-annotations';
import { refuse, type Outcome } from '../errors/outcome';
import type { AddressFields } from './wishes';

/** Families in the spec of a Service. */
export type FamilySpec = Pick<ServiceView, 'ipFamilies' | 'ipFamilyPolicy' | 'clusterIpFamilies'>;

/** Facts that decide about the families of a Service. */
export interface FamilyFacts {
  readonly spec: FamilySpec;
  /** The stored object, on UPDATE. */
  readonly stored?: FamilySpec;
  /** The annotation where a user wrote it; a result of ours is no wish. */
  readonly wish?: IpFamilyWish;
  /** Addresses that the Service asks for. */
  readonly addresses: readonly Address[];
  /** Places that wish them, for messages. */
  readonly addressFields?: AddressFields;
  /** Families that the cluster gives to Services, the primary one first. */
  readonly clusterFamilies: readonly Family[];
}

/** Families for which a Service gets addresses. */
export interface FamilyPlan {
  /** In the order of the result. */
  readonly families: readonly Family[];
  /** Written into an empty `spec.ipFamilyPolicy`; on CREATE with the annotation `dual` only. */
  readonly setPolicy?: 'RequireDualStack';
  /** PreferDualStack that the cluster cannot fulfil: the family that the Service will not have. */
  readonly unfulfilled?: Family;
}

/** Paths of the fields that decide, for messages. */
export const FAMILY_FIELDS = {
  policy: 'spec.ipFamilyPolicy',
  families: 'spec.ipFamilies',
  annotation: annotationPath(IPAM.ipFamily),
} as const;

/**
 * Names a family in words.
 *
 * @param family - IP version
 * @returns `IPv4` or `IPv6`
 */
export function familyName(family: Family): 'IPv4' | 'IPv6' {
  return family === 4 ? 'IPv4' : 'IPv6';
}

/**
 * Lists families in words.
 *
 * @param families - one or two
 * @returns for example `IPv4 and IPv6`
 */
export function familyNames(families: readonly Family[]): string {
  return families.map(familyName).join(' and ');
}

/**
 * Translates families into the value of the annotation.
 *
 * @param families - one or two
 * @returns the word that means them
 */
export function familyWord(families: readonly Family[]): IpFamilyWish {
  if (families.length > 1) return 'dual';
  return families[0] === 6 ? 'ipv6' : 'ipv4';
}

/**
 * Translates the annotation for one family.
 *
 * @param wish - not `dual`
 * @returns the family it means
 */
export function wishedFamily(wish: IpFamilyWish): Family {
  return wish === 'ipv6' ? 6 : 4;
}

/**
 * Names the counterpart.
 *
 * @param family - IP version
 * @returns the one that it is not
 */
export function otherFamily(family: Family): Family {
  return family === 4 ? 6 : 4;
}

/**
 * Tells whether a policy asks for two families.
 *
 * @param policy - `spec.ipFamilyPolicy`
 * @returns true for PreferDualStack and RequireDualStack
 */
export function isDualPolicy(policy: IpFamilyPolicy | undefined): boolean {
  return policy === 'PreferDualStack' || policy === 'RequireDualStack';
}

/**
 * Reads the families that a spec names; a cluster IP that the user chose decides like `spec.ipFamilies` does.
 *
 * @param spec - of a Service
 * @returns the families, the primary one first; none when the API server has not filled them in
 */
export function specFamilies(spec: FamilySpec): readonly Family[] {
  return spec.ipFamilies.length > 0 ? spec.ipFamilies : spec.clusterIpFamilies;
}

/**
 * Refuses because two fields disagree.
 *
 * @param field - path of the field at fault
 * @param message - one sentence
 * @returns refusal `wish/family`
 */
export function familyConflict(field: string, message: string): Outcome<never> {
  return refuse('wish/family', message, { field });
}

/**
 * Refuses two families in a cluster that has one.
 *
 * @param field - path of the field that asks
 * @param clusterFamilies - what the cluster has
 * @returns refusal `wish/family`
 */
export function singleStackCluster(field: string, clusterFamilies: readonly Family[]): Outcome<never> {
  const has = familyNames(clusterFamilies);
  return familyConflict(
    field,
    `${field} asks for two families but this cluster has ${has} Services only; ask for one family`,
  );
}

/**
 * Refuses the annotation `dual` where the API server would keep one family.
 *
 * @returns refusal `wish/family`
 */
export function dualNeedsPolicy(): Outcome<never> {
  const { annotation, policy } = FAMILY_FIELDS;
  return familyConflict(
    annotation,
    `${annotation} "dual" on a stored Service needs ${policy} PreferDualStack or RequireDualStack in the same change`,
  );
}
