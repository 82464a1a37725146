# `make help` lists the verbs. Every verb does its own set-up.

# The first Python of 3.11 or later; name another with PYTHON=…
PYTHON ?= $(firstword $(foreach candidate,python3 python3.13 python3.12 python3.11 python3.14 python,$(shell \
	$(candidate) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(candidate))))

TENANTS ?= 20
EMPLOYEES ?= 50
KEEP ?=
REDRIVE ?=
FAULTS ?= 1
PORT ?=
PROVIDER ?= stand-in
ENV ?=
OFFLINE ?=
ROOT ?=
ARGS ?=
YES ?=
LOSE ?=
LOCK ?= 1
PLAN ?=
DIGEST ?=
LOCK_ID ?=
A ?=
B ?=
VERSION ?=
DRY_RUN ?=

LOCAL := .venv/local/bin/python
DEV := .venv/dev/bin/python
EMULATOR := .venv/emulator/bin/python
ENVIRONMENT_READY := .venv/%/.ready

MODULE_TESTS := $(addprefix tests/terraform/,test_module_applies.py test_module_changes.py test_module_runs.py test_module_same_plan.py test_module_whole_numbers.py test_module_mutants.py test_module_endpoints.py test_alarm_pack.py test_alert_channel.py)
ALARM_TESTS := tests/alarms/test_alarms.py tests/alarms/test_composites.py tests/local/alarm_notifier
DASHBOARD_TESTS := tests/local/dashboards
PROOFS := tests/properties/test_halted_order.py tests/local/demo/test_redrive.py tests/local/operations tests/terraform/test_permissions.py
PROVIDER_PROBES := tests/local/probes
PROVED := lint test-code test-deploy test-provider test-modules test-policies test-alarms test-proofs demo
# What is measured, against the figures that the README quotes; minutes each.
MEASURED := coverage bench-consumer bench-dispatch bench-redrive bench-gate
# Where CI is set a linter that is missing fails.
LINTERS ?= $(if $(CI),required,optional)

WAIVERS ?= $(wildcard envs/$(ENV)/waivers.toml)
REPORTS ?=
GATE := .venv/gate/bin/python
GATED_ROOTS := envs/local envs/dev envs/stg envs/prod envs/bootstrap
gate_reports = $(foreach kind,markdown:md sarif:sarif junit:xml json:json,--also $(word 1,$(subst :, ,$(kind)))='$(REPORTS)/gate.$(word 2,$(subst :, ,$(kind)))')

export LOSE
export PYTHONPATH := .
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo local-aws terraform plan apply destroy unlock diff-envs release dlq maintenance dashboard test-alarms bench-redrive test-proofs test test-all test-code test-deploy test-provider test-modules test-policies gate gate-plan gate-source bench-gate coverage mutants bench-consumer bench-dispatch lint format package setup documents lock clean proofs

ENVIRONMENT_OPTIONS = $(if $(filter-out 0,$(OFFLINE)),--offline) $(if $(YES),--consent '$(YES)') $(if $(LOSE),--lose "$$LOSE")
define environments
@$(LOCAL) -m deploy $(1) --check
@$(MAKE) --no-print-directory package >/dev/null
@exec $(LOCAL) -m deploy $(1)
endef

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/local/.ready .venv/emulator/.ready package ## Charge a whole month on the local AWS (TENANTS, EMPLOYEES, REDRIVE=1, KEEP=1, FAULTS=0, PORT, PROVIDER)
	@exec $(LOCAL) -m local.demo --tenants '$(TENANTS)' --employees '$(EMPLOYEES)' --provider '$(PROVIDER)' \
		$(if $(PORT),--port '$(PORT)') $(if $(filter-out 0,$(REDRIVE)),--redrive) $(if $(filter-out 0,$(KEEP)),--keep) $(if $(filter 0,$(FAULTS)),--no-faults)

local-aws: .venv/local/.ready .venv/emulator/.ready ## The local AWS alone, until Ctrl-C; prints how to reach it (PORT)
	@exec $(LOCAL) -m local.emulator $(if $(PORT),--port '$(PORT)')

terraform: .venv/local/.ready ## Terraform with the stand-in provider, in any folder: make terraform ROOT=../my/root ARGS='plan'
	@test -d '$(ROOT)' || { echo 'ROOT is "$(ROOT)", which is no folder; write make terraform ROOT=path/of/a/root ARGS=plan' >&2; exit 2; }
	@exec $(LOCAL) -m deploy.terraform -chdir='$(ROOT)' $(ARGS)

plan: .venv/local/.ready $(if $(filter-out 0,$(OFFLINE)),.venv/emulator/.ready) ## Plan an environment into dist/plans (ENV; OFFLINE=1: on this machine; LOCK=0)
	$(call environments,plan '$(ENV)' $(ENVIRONMENT_OPTIONS) $(if $(filter 0,$(LOCK)),--no-lock))

apply: .venv/local/.ready ## Plan an environment, show the plan, ask, apply that very plan (ENV; LOSE='addresses': what may go; PLAN=file DIGEST=: one made before)
	$(call environments,apply '$(ENV)' $(ENVIRONMENT_OPTIONS) $(if $(WAIVERS),--waivers '$(WAIVERS)') $(if $(PLAN),--plan '$(PLAN)') $(if $(DIGEST),--digest '$(DIGEST)'))

unlock: .venv/local/.ready ## Free a lock that was left on an environment's state (ENV, LOCK_ID)
	$(call environments,unlock '$(ENV)' $(if $(YES),--consent '$(YES)') --lock-id '$(LOCK_ID)')

destroy: .venv/local/.ready ## Destroy an environment, likewise (ENV)
	$(call environments,destroy '$(ENV)' $(ENVIRONMENT_OPTIONS))

diff-envs: .venv/local/.ready .venv/emulator/.ready ## Plan two environments on this machine and print in what they differ (A, B)
	$(call environments,diff '$(A)' '$(B)')

release: .venv/local/.ready ## Check, prove and tag a version, on this machine only (VERSION; DRY_RUN=1: say what is missing)
	@exec $(LOCAL) -m deploy.release '$(VERSION)' $(if $(filter-out 0,$(DRY_RUN)),--dry-run)

dlq: .venv/local/.ready ## Dead letters: make dlq ENV=prod JOB=charge ARGS='inspect' (show, redrive, release, purge)
	@PYTHONPATH=.:functions $(LOCAL) -m operations.dlq --env '$(ENV)' --job '$(JOB)' $(ARGS)

maintenance: .venv/local/.ready ## Keep a job's composites quiet: make maintenance ENV=prod JOB=charge ARGS='--minutes 30 --reason "…"'
	@PYTHONPATH=.:functions $(LOCAL) -m operations.maintenance --env '$(ENV)' --job '$(JOB)' $(ARGS)

dashboard: .venv/local/.ready .venv/emulator/.ready .venv/docs/.ready package ## Play a month's end and draw docs/images/charge-dashboard.png
	@$(LOCAL) -m local.dashboards play dist/dashboard.json
	@.venv/docs/bin/python -m local.dashboards draw dist/dashboard.json docs/images/charge-dashboard.png

test: lint test-code ## Lint, types, and every test but those of the next six verbs

test-code: .venv/dev/.ready .venv/emulator/.ready package ## The tests of `make test`, without lint
	$(DEV) -m pytest --numprocesses 2 --dist loadfile $(addprefix --ignore ,tests/policies $(MODULE_TESTS) $(ALARM_TESTS) $(DASHBOARD_TESTS) $(PROOFS) $(PROVIDER_PROBES) tests/deploy_path)

test-provider: .venv/dev/.ready ## A thousand resources with one fault: refused by the stand-in when hashicorp/aws refuses them
	$(DEV) -m pytest -q $(PROVIDER_PROBES)

test-deploy: .venv/dev/.ready .venv/emulator/.ready package ## From an empty account to prod and back as CI's own roles: plan, approval, apply, drift, a left lock, refusals
	$(DEV) -m pytest -q -s tests/deploy_path

test-alarms: .venv/dev/.ready .venv/emulator/.ready .venv/docs/.ready ## Every alarm fires and recovers where AWS documents its metric; print a line for each
	$(DEV) -m pytest -q -s $(ALARM_TESTS) $(DASHBOARD_TESTS)

test-proofs: .venv/dev/.ready .venv/emulator/.ready package ## Every interleaving of a halted group; a redrive killed on the way; operators' commands; each permission missed (minutes)
	$(DEV) -m pytest $(PROOFS) --numprocesses 2 --dist load

test-policies: .venv/dev/.ready .venv/emulator/.ready .venv/checkov/.ready ## Test the gate: each rule kept, broken, undecided; foreign compositions; fuzzed
	$(DEV) -m pytest tests/policies --numprocesses 2 --dist load

test-modules: .venv/dev/.ready .venv/emulator/.ready ## Test the Terraform modules and print a line for each
	$(DEV) -m pytest tests/terraform -k 'module or alarm_pack or alert_channel' --numprocesses 2 --dist loadfile

test-all: ## All of these, lint and the demo, whatever becomes of each; a table, and a line `N passed, N failed`
	@test -n '$(PYTHON)' || { echo 'No Python of 3.11 or later was found; install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; }
	@exec $(PYTHON) -m tests.steps $(PROVED)

proofs: ## Print the verbs that the workflow runs every night and before an apply
	@echo $(PROVED) $(MEASURED)

gate: plan ## Plan an environment and judge the plan (ENV; OFFLINE=1; WAIVERS=file)
	@$(MAKE) --no-print-directory gate-plan

gate-plan: .venv/gate/.ready .venv/checkov/.ready ## Judge the plan that is in dist/plans (ENV; WAIVERS=file; REPORTS=folder)
	@test -f 'dist/plans/$(ENV).json' || { echo "There is no plan dist/plans/$(ENV).json: make plan with ENV=dev, ENV=prod or ENV=stg first" >&2; exit 2; }
	@$(if $(REPORTS),mkdir -p '$(REPORTS)')
	@status=0; \
	$(GATE) -m policies 'dist/plans/$(ENV).json' --source 'envs/$(ENV)' --strict \
		$(if $(WAIVERS),--waivers '$(WAIVERS)') $(if $(REPORTS),$(gate_reports)) || status=$$?; \
	$(GATE) -m policies.scan 'dist/plans/$(ENV).json' || { scan=$$?; [ $$scan -le $$status ] || status=$$scan; }; \
	exit $$status

gate-source: .venv/gate/.ready ## Judge the environments' source: no plan, no provider, no keys (WAIVERS=file)
	@$(GATE) -m policies $(addprefix --source ,$(GATED_ROOTS)) $(if $(WAIVERS),--waivers '$(WAIVERS)')

bench-gate: .venv/dev/.ready .venv/checkov/.ready ## The gate's time on the prod plan beside checkov's, and its growth
	@$(MAKE) --no-print-directory plan ENV=prod OFFLINE=1 >/dev/null
	@$(DEV) -m benchmarks.gate dist/plans/prod.json

coverage: .venv/dev/.ready ## Branch coverage of functions/ by their unit and property tests
	$(DEV) -m pytest -q tests/unit tests/properties --cov --cov-report=term --cov-fail-under=95

mutants: .venv/dev/.ready ## Change job_runtime in every small way; list and explain what no test notices (long)
	$(DEV) -m tests.mutation

bench-consumer: .venv/dev/.ready ## Messages a second beside Powertools and a claim-first loop, in one run
	@PYTHONPATH=.:functions $(DEV) -m benchmarks.consumer

bench-redrive: .venv/dev/.ready .venv/emulator/.ready ## A class put back from 20,000 dead letters (long)
	@PYTHONPATH=.:functions $(DEV) -m benchmarks.redrive

bench-dispatch: .venv/dev/.ready .venv/emulator/.ready ## A dispatcher killed three times over 50,000 employees; 1,000,000 in flat memory (long)
	@PYTHONPATH=.:functions $(DEV) -m benchmarks.dispatch

lint: .venv/dev/.ready ## Check style, types and Terraform's format; tflint, actionlint and shellcheck (LINTERS=required or optional)
	@.venv/dev/bin/ruff check .
	@.venv/dev/bin/ruff format --check .
	@$(DEV) -m mypy functions deploy local operations zips policies benchmarks tests
	@$(DEV) -m deploy.terraform fmt -check -recursive -diff .
	@LINTERS='$(LINTERS)' .ci/linters

format: .venv/dev/.ready ## Rewrite sources to the project's style
	@.venv/dev/bin/ruff check --fix-only .
	@.venv/dev/bin/ruff format .
	@$(DEV) -m deploy.terraform fmt -recursive .

package: .venv/local/.ready ## Write dist/<function>.zip for the Lambda platform and show what is inside
	@$(LOCAL) -m zips

setup: .venv/local/.ready .venv/dev/.ready .venv/emulator/.ready ## Make the Python environments

documents: .venv/dev/.ready ## Rewrite what the documents take from the code: examples, inputs, outputs, versions
	@$(DEV) -m tests.terraform.interface_tables

lock: .venv/dev/.ready ## Resolve requirements/*.in again into hash-locked lists
	@for list in functions local gate emulator checkov docs dev; do \
		.venv/dev/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
			--no-emit-index-url --no-header requirements/$$list.in -o requirements/$$list.txt || exit 1; \
	done

clean: ## Remove what was built; environments stay
	rm -rf dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

$(ENVIRONMENT_READY): requirements/%.txt
	@test -n '$(PYTHON)' || { echo 'No Python of 3.11 or later was found; install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo '$(PYTHON) is older than 3.11 (or does not run); name a later one: make PYTHON=/path/to/python3' >&2; exit 1; }
	@echo 'Making the environment .venv/$* …'
	@rm -rf .venv/$*
	@$(PYTHON) -m venv .venv/$*
	@.venv/$*/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@
