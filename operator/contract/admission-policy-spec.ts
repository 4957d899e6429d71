/** `spec` of a ValidatingAdmissionPolicy, as far as every policy of ours has it. */
export interface AdmissionPolicySpec {
  readonly matchConstraints: object;
  readonly [field: string]: unknown;
}
