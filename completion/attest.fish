# fish completion for attest: the program prints the completions.
function __attest_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] --complete $words[2..-1] 2>/dev/null
end
complete -c attest -a '(__attest_complete)'
