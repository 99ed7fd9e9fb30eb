# Completion of totrain(1) for fish: commands, options and the words they take, as --help prints them from its tables,
# numbers of jobs, and files.

# Lines "word<tab>help" of the help's section $argv[1], up to an empty line or a sentence.
function __totrain_section
    sed -n "/^$argv[1]:\$/,/^\([A-Z].*\|\)\$/p" | awk '/^  [a-z]/ { help = substr($0, 38); sub(/^ +/, "", help); print $1 "\t" help }'
end

function __totrain_is_command
    $argv[1] --help 2>/dev/null | __totrain_section commands | cut -f 1 | grep -qx -- "$argv[2]"
end

# Words of the option $argv[1]: --format=table|box|line
function __totrain_choices
    sed -n "s/^  \(-[a-z], \)*$argv[1]=\([A-Za-z|]*|[A-Za-z|]*\) .*/\2/p" | tr '|' '\n'
end

function __totrain_candidates
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l program $before[1]
    set -l command
    set -l place (count $before)
    if test $place -gt 1; and __totrain_is_command $program $before[2]
        set command $before[2]
    end
    if string match -q -- '--*=*' $current
        set -l option (string split -m 1 = -- $current)[1]
        for choice in ($program $command --help 2>/dev/null | __totrain_choices $option)
            echo $option=$choice
        end
    else if string match -q -- '-*' $current
        $program $command --help 2>/dev/null | grep -oE '^  (-[a-z], )?--?[a-z0-9-]+=?' | tr -d ' ' | tr ',' '\n'
    else if test $place -eq 1
        $program --help 2>/dev/null | __totrain_section commands
        __fish_complete_path $current
    else
        switch "$command:$place"
            case cancel:2 scale:2 wait:2 publish:2 logs:2
                $program jobs --format=tsv 2>/dev/null | sed 1d | cut -f 1
            case k8s:2
                printf '%s\n' rbac check
            case picture:4
                printf '%s\n' history confusion roc pr gain calibration residuals importance shap dependence forecast
            case '*'
                __fish_complete_path $current
        end
    end
end

complete -c totrain -f -k -a '(__totrain_candidates)'
